"""Everything that can die does, in the middle of each step; what is stored then is what an undisturbed run left."""
