// watchDrops has filesDropped called with the addresses, a line each, of what is dropped on the page from another program.
void watchDrops(void);

// cancelDialogs answers every dialog that is open, or is opened from here on, as if the person had thought better of it.
void cancelDialogs(void);
