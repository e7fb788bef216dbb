"""What scripts/report.py writes: data.py takes it from results, page.py makes it a page of the other files here."""
