"""The web process: it knows no rules and never imports JAX, so the page is there at once."""
