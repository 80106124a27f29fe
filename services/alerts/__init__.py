"""What people want to be told of: their rules, the bell, letters by mail and chat. Programs are told by webhooks."""
