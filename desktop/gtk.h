// watchDrops calls filesDropped for each drop from another program on the page, with one address per line.
void watchDrops(void);

// cancelDialogs cancels every open dialog and every dialog that opens later.
void cancelDialogs(void);
