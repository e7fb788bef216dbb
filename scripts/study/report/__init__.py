"""The page of scripts/report.py: data.py reads results, page.py builds the page from the other files."""
