//go:build desktop

#include "gtk.h"
#include "_cgo_export.h"
#include <gtk/gtk.h>
#include <stdlib.h>
#include <string.h>

static gboolean call(gpointer number) {
    calledOnGTK((uintptr_t)number);
    return G_SOURCE_REMOVE;
}

// A low priority lets Wails show and center the window first.
void runOnGTK(uintptr_t number) { g_idle_add_full(G_PRIORITY_LOW, call, (gpointer)number, NULL); }

// The list of addresses of the current drag. "bringing" identifies that drag and is only compared.
static GdkDragContext *bringing = NULL;
static gchar *brought = NULL;

static void received(GtkWidget *view, GdkDragContext *drag, gint x, gint y, GtkSelectionData *data, guint info, guint time, gpointer unused) {
    gint length = gtk_selection_data_get_length(data);
    gchar *type = gdk_atom_name(gtk_selection_data_get_data_type(data));
    if (length > 0 && strcmp(type, "text/uri-list") == 0 && gtk_drag_get_source_widget(drag) == NULL) {
        g_free(brought);
        brought = g_strndup((const gchar *)gtk_selection_data_get_data(data), length);
        bringing = drag;
    }
    g_free(type);
}

static gboolean dropped(GtkWidget *view, GdkDragContext *drag, gint x, gint y, guint time, gpointer unused) {
    if (brought != NULL && bringing == drag) filesDropped(brought);
    g_free(brought);
    brought = NULL;
    bringing = NULL;
    return FALSE; // the page gets the event too
}

static GtkWindow *window = NULL;
static GtkWidget *view = NULL;
static GPtrArray *items = NULL; // of the menu, depth first, without separators and submenus
static GtkAccelGroup *keys = NULL;

static void collect(GtkWidget *item, gpointer top) {
    GtkWidget *submenu = gtk_menu_item_get_submenu(GTK_MENU_ITEM(item));
    gtk_widget_show(item); // Wails leaves separators hidden
    if (top) { // Alt and the first letter open the menu
        gchar *label = g_strconcat("_", gtk_menu_item_get_label(GTK_MENU_ITEM(item)), NULL);
        gtk_menu_item_set_use_underline(GTK_MENU_ITEM(item), TRUE);
        gtk_menu_item_set_label(GTK_MENU_ITEM(item), label);
        g_free(label);
    }
    if (submenu != NULL)
        gtk_container_foreach(GTK_CONTAINER(submenu), collect, NULL);
    else if (!GTK_IS_SEPARATOR_MENU_ITEM(item))
        g_ptr_array_add(items, item);
}

static void find(GtkWidget *widget, gpointer unused) {
    if (strcmp(G_OBJECT_TYPE_NAME(widget), "WebKitWebView") == 0)
        view = widget;
    else if (GTK_IS_MENU_BAR(widget))
        gtk_container_foreach(GTK_CONTAINER(widget), collect, widget);
    else if (GTK_IS_CONTAINER(widget))
        gtk_container_forall(GTK_CONTAINER(widget), find, NULL);
}

// The last size and position while the window was not maximized, and the last ones with another size.
static Rect normal, before;

static const GdkWindowState SPREAD = GDK_WINDOW_STATE_MAXIMIZED | GDK_WINDOW_STATE_FULLSCREEN;

static gboolean configured(GtkWidget *widget, GdkEvent *event, gpointer unused) {
    if (gdk_window_get_state(gtk_widget_get_window(widget)) & (SPREAD | GDK_WINDOW_STATE_ICONIFIED)) return FALSE;
    Rect last = normal;
    gtk_window_get_size(window, &normal.width, &normal.height);
    gtk_window_get_position(window, &normal.x, &normal.y);
    if (normal.width != last.width || normal.height != last.height) before = last;
    return FALSE;
}

// fills reports whether a size is about that of a maximized window.
static gboolean fills(Rect r) {
    GdkRectangle area;
    gdk_monitor_get_workarea(gdk_display_get_monitor_at_window(gdk_display_get_default(), gtk_widget_get_window(GTK_WIDGET(window))), &area);
    return r.width > area.width - 100 && r.height > area.height - 100;
}

// A window can get its maximized size before its state says so.
static gboolean stateChanged(GtkWidget *widget, GdkEventWindowState *event, gpointer unused) {
    if (event->changed_mask & event->new_window_state & SPREAD && fills(normal)) normal = before;
    return FALSE;
}

// findWindow finds the window that Wails has opened, once.
static void findWindow(void) {
    if (items != NULL) return;
    items = g_ptr_array_new();
    GList *windows = gtk_window_list_toplevels();
    for (GList *w = windows; w != NULL && view == NULL; w = w->next) {
        window = GTK_WINDOW(w->data);
        find(GTK_WIDGET(window), NULL);
    }
    g_list_free(windows);
}

static gboolean load(gpointer address) {
    extern void webkit_web_view_load_uri(GtkWidget *, const gchar *); // Wails links WebKit
    findWindow();
    if (view != NULL) webkit_web_view_load_uri(view, address);
    return G_SOURCE_REMOVE;
}

void loadPage(char *address) { g_idle_add_full(G_PRIORITY_HIGH, load, address, free); }

void adopt(Rect first) {
    keys = gtk_accel_group_new();
    normal = before = first;
    findWindow();
    if (view == NULL) return;
    gtk_window_add_accel_group(window, keys);
    g_signal_connect(view, "drag-data-received", G_CALLBACK(received), NULL);
    g_signal_connect(view, "drag-drop", G_CALLBACK(dropped), NULL);
    g_signal_connect(window, "configure-event", G_CALLBACK(configured), NULL);
    g_signal_connect(window, "window-state-event", G_CALLBACK(stateChanged), NULL);
}

static guint cancelling = 0; // the source that calls cancelAll

static gboolean cancelAll(gpointer unused) {
    GList *windows = gtk_window_list_toplevels();
    for (GList *w = windows; w != NULL; w = w->next)
        if (GTK_IS_DIALOG(w->data)) gtk_dialog_response(GTK_DIALOG(w->data), GTK_RESPONSE_CANCEL);
    g_list_free(windows);
    return G_SOURCE_CONTINUE; // another dialog may be about to open
}

void cancelDialogs(void) { cancelling = g_timeout_add(50, cancelAll, NULL); }

int monitors(Rect *list, int most) {
    GdkDisplay *display = gdk_display_get_default();
    int n = MIN(gdk_display_get_n_monitors(display), most);
    for (int i = 0; i < n; i++) {
        GdkRectangle area;
        gdk_monitor_get_workarea(gdk_display_get_monitor(display, i), &area);
        list[i] = (Rect){area.x, area.y, area.width, area.height};
    }
    return n;
}

void resizeWindow(int width, int height) { gtk_window_resize(window, width, height); }

void moveWindow(int x, int y) { gtk_window_move(window, x, y); }

void maximizeWindow(void) { gtk_window_maximize(window); }

Rect place(int *maximized) {
    *maximized = gtk_window_is_maximized(window);
    return normal;
}

void setItem(int number, const char *label, int visible, int enabled) {
    GtkWidget *item = g_ptr_array_index(items, number);
    gtk_menu_item_set_label(GTK_MENU_ITEM(item), label);
    gtk_widget_set_visible(item, visible);
    gtk_widget_set_sensitive(item, enabled);
}

void setItemKey(int number, const char *key, int modifiers, int bound) {
    GtkWidget *item = g_ptr_array_index(items, number);
    guint value = gdk_keyval_from_name(key);
    if (value == GDK_KEY_VoidSymbol) value = gdk_unicode_to_keyval(g_utf8_get_char(key));
    if (bound) {
        GtkAccelFlags flags = bound > 1 ? 0 : GTK_ACCEL_VISIBLE;
        gtk_widget_add_accelerator(item, "activate", keys, value, modifiers, flags);
    } else {
        GtkWidget *label = gtk_bin_get_child(GTK_BIN(item));
        if (GTK_IS_ACCEL_LABEL(label)) gtk_accel_label_set_accel(GTK_ACCEL_LABEL(label), *key ? value : 0, modifiers);
    }
}

void setZoom(double level) {
    if (view != NULL) g_object_set(view, "zoom-level", level, NULL);
}

// The choice of the person and the preference of the desktop, as setTheme and readDark have them.
static int chosenDark = -1, systemDark = -1;

static const char *SETTINGS = "org.freedesktop.portal.Settings", *PORTAL = "/org/freedesktop/portal/desktop";
static const char *APPEARANCE = "org.freedesktop.appearance", *SCHEME = "color-scheme";

// darkIn reads the value of a color scheme, which some desktops wrap twice, and ends it.
static int darkIn(GVariant *value) {
    while (value != NULL && g_variant_is_of_type(value, G_VARIANT_TYPE_VARIANT)) {
        GVariant *inner = g_variant_get_variant(value);
        g_variant_unref(value);
        value = inner;
    }
    int dark = value != NULL && g_variant_is_of_type(value, G_VARIANT_TYPE_UINT32) ? g_variant_get_uint32(value) == 1 : -1;
    if (value != NULL) g_variant_unref(value);
    return dark;
}

static void applyTheme(void) {
    int dark = chosenDark >= 0 ? chosenDark : systemDark;
    GtkSettings *settings = gtk_settings_get_default();
    if (settings == NULL) return;
    if (dark < 0)
        gtk_settings_reset_property(settings, "gtk-application-prefer-dark-theme");
    else
        g_object_set(settings, "gtk-application-prefer-dark-theme", dark, NULL);
}

static void schemeChanged(GDBusConnection *bus, const gchar *sender, const gchar *path, const gchar *interface, const gchar *signal, GVariant *given, gpointer unused) {
    const gchar *group, *name;
    GVariant *value;
    if (!g_variant_is_of_type(given, G_VARIANT_TYPE("(ssv)"))) return;
    g_variant_get(given, "(&s&sv)", &group, &name, &value);
    if (strcmp(group, APPEARANCE) != 0 || strcmp(name, SCHEME) != 0) {
        g_variant_unref(value);
        return;
    }
    systemDark = darkIn(value);
    applyTheme();
}

int readDark(void) {
    GDBusConnection *bus = g_bus_get_sync(G_BUS_TYPE_SESSION, NULL, NULL);
    if (bus == NULL) return -1;
    GVariant *answer = g_dbus_connection_call_sync(bus, "org.freedesktop.portal.Desktop", PORTAL, SETTINGS, "Read",
        g_variant_new("(ss)", APPEARANCE, SCHEME), G_VARIANT_TYPE("(v)"), G_DBUS_CALL_FLAGS_NONE, 2000, NULL, NULL);
    if (answer != NULL) {
        systemDark = darkIn(g_variant_get_child_value(answer, 0));
        g_variant_unref(answer);
    }
    g_object_unref(bus);
    return systemDark;
}

void setTheme(int dark) {
    static guint watching = 0;
    GDBusConnection *bus = watching == 0 ? g_bus_get_sync(G_BUS_TYPE_SESSION, NULL, NULL) : NULL;
    if (bus != NULL) // the connection stays open for the signals
        watching = g_dbus_connection_signal_subscribe(bus, NULL, SETTINGS, "SettingChanged", PORTAL, APPEARANCE,
            G_DBUS_SIGNAL_FLAGS_NONE, schemeChanged, NULL, NULL);
    chosenDark = dark;
    applyTheme();
}

// The protocol of Unity's launcher, which the panels of KDE and GNOME's Dash to Dock read.
void showProgress(double progress) {
    GDBusConnection *bus = g_bus_get_sync(G_BUS_TYPE_SESSION, NULL, NULL);
    if (bus == NULL) return;
    GVariantBuilder look;
    g_variant_builder_init(&look, G_VARIANT_TYPE("a{sv}"));
    g_variant_builder_add(&look, "{sv}", "progress", g_variant_new_double(MAX(progress, 0)));
    g_variant_builder_add(&look, "{sv}", "progress-visible", g_variant_new_boolean(progress >= 0));
    g_dbus_connection_emit_signal(bus, NULL, "/io/github/roughcut/Roughcut", "com.canonical.Unity.LauncherEntry", "Update",
        g_variant_new("(sa{sv})", "application://roughcut-desktop.desktop", &look), NULL);
    g_object_unref(bus);
}

int showAlert(const char *title, const char *text) {
    if (!gtk_init_check(NULL, NULL)) return 0;
    if (cancelling != 0) g_source_remove(cancelling); // the window has closed
    cancelling = 0;
    chosenDark = -1;
    readDark();
    applyTheme();
    GtkWidget *dialog = gtk_message_dialog_new(NULL, 0, GTK_MESSAGE_ERROR, GTK_BUTTONS_CLOSE, "%s", title);
    gtk_message_dialog_format_secondary_text(GTK_MESSAGE_DIALOG(dialog), "%s", text);
    gtk_window_set_title(GTK_WINDOW(dialog), "Roughcut");
    gtk_dialog_run(GTK_DIALOG(dialog));
    gtk_widget_destroy(dialog);
    return 1;
}
