"""Write marked copies, and trace a suspect's text, on screen and by API."""
