//go:build desktop

#include "gtk.h"
#include "_cgo_export.h"
#include <gtk/gtk.h>
#include <string.h>

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

static void watchViews(GtkWidget *widget, gpointer unused) {
    if (strcmp(G_OBJECT_TYPE_NAME(widget), "WebKitWebView") == 0) {
        g_signal_connect(widget, "drag-data-received", G_CALLBACK(received), NULL);
        g_signal_connect(widget, "drag-drop", G_CALLBACK(dropped), NULL);
    } else if (GTK_IS_CONTAINER(widget)) {
        gtk_container_forall(GTK_CONTAINER(widget), watchViews, NULL);
    }
}

static gboolean watchWindows(gpointer unused) {
    GList *windows = gtk_window_list_toplevels();
    for (GList *w = windows; w != NULL; w = w->next) watchViews(GTK_WIDGET(w->data), NULL);
    g_list_free(windows);
    return G_SOURCE_REMOVE;
}

void watchDrops(void) { g_idle_add(watchWindows, NULL); }

static gboolean cancelAll(gpointer unused) {
    GList *windows = gtk_window_list_toplevels();
    for (GList *w = windows; w != NULL; w = w->next)
        if (GTK_IS_DIALOG(w->data)) gtk_dialog_response(GTK_DIALOG(w->data), GTK_RESPONSE_CANCEL);
    g_list_free(windows);
    return G_SOURCE_CONTINUE; // another dialog may be about to open
}

void cancelDialogs(void) { g_timeout_add(50, cancelAll, NULL); }
