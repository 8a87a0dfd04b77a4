#pragma once

// All functions except readDark, showProgress, showAlert and those about parts of the system run on the thread of GTK, where onGTK brings them.

#include <stdint.h>

typedef struct {
    int x, y, width, height;
} Rect;

// runOnGTK calls calledOnGTK with the number on the thread of GTK, after what already waits there.
void runOnGTK(uintptr_t number);

// loadPage loads the page at an address, which it frees, before anything else on the thread of GTK. Any thread may call it.
void loadPage(char *address);

// adopt finds the window, its page and its menu, and tracks the size and position from the first place. It calls filesDropped
// for each drop from another program on the page, with one address per line.
void adopt(Rect first);

// cancelDialogs cancels every open dialog and every dialog that opens later.
void cancelDialogs(void);

// monitors writes the usable parts of at most most monitors and returns their number.
int monitors(Rect *list, int most);
void resizeWindow(int width, int height);
void moveWindow(int x, int y);
void maximizeWindow(void);

// place returns the size and position of the window while it was last neither maximized nor fullscreen.
Rect place(int *maximized);

// setItem changes the item of the menu with this number. A bound key runs the item, any other key is only shown.
void setItem(int number, const char *label, int visible, int enabled);
void setItemKey(int number, const char *key, int modifiers, int bound);
void setZoom(double level);

// readDark returns 1 if the desktop prefers dark windows, 0 if it prefers light ones or nothing, and -1 if it does not tell.
int readDark(void);

// setTheme sets dark windows (1), light ones (0) or follows the desktop (-1).
void setTheme(int dark);

// showProgress shows a part of 1 on the icon of the program, or nothing if it is negative.
void showProgress(double progress);

// showAlert shows an error until the person closes it. It returns 0 without a display.
int showAlert(const char *title, const char *text);

// hasElement returns whether GStreamer has an element: 1 or 0, or -1 if it does not start.
int hasElement(const char *name);
void webkitVersion(unsigned int version[3]);
