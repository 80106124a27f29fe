"""The bell: what people were told, and the rules by which. What programs are told is a matter of `dashboard.system`."""
