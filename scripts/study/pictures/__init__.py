"""The pictures of scripts/plot_performance.py: gallery.py lists them, drawing.py draws them."""
