"""What scripts/plot_performance.py draws: gallery.py names every picture, drawing.py draws any."""
