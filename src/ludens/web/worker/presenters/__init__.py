"""How each game looks: one file for each, named in `render.PRESENTERS`."""
