"""A hundred chats at once, measured at a Bot API server of our own."""
