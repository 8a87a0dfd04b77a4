package server

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"roughcut/store"
)

// Metrics collects Prometheus metrics of the server. Labels never contain users, resources or
// addresses; routes are patterns.
type Metrics struct {
	registry  *prometheus.Registry
	requests  *prometheus.CounterVec
	latency   *prometheus.HistogramVec
	jobs      *prometheus.HistogramVec
	transfers atomic.Pointer[transferSet] // of the measured server
}

// jobSeconds are the bucket bounds of the job histogram, from 0.1 seconds to 4 hours.
var jobSeconds = []float64{0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 4 * 3600}

// NewMetrics returns the metrics of a store. Passing them in Options adds the metrics of a server.
// version is the version of the program.
func NewMetrics(data *store.Store, version string) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(
			prometheus.CounterOpts{
				Name: "roughcut_http_requests_total",
				Help: "HTTP requests by method, route and status.",
			},
			[]string{"method", "route", "status"},
		),
		latency: prometheus.NewHistogramVec(
			prometheus.HistogramOpts{
				Name:    "roughcut_http_request_duration_seconds",
				Help:    "Time from the request header to the end of the response.",
				Buckets: prometheus.DefBuckets,
			},
			[]string{"method", "route"},
		),
		jobs: prometheus.NewHistogramVec(
			prometheus.HistogramOpts{
				Name:    "roughcut_job_duration_seconds",
				Help:    "Duration of jobs by kind and outcome.",
				Buckets: jobSeconds,
			},
			[]string{"kind", "outcome"},
		),
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name:        "roughcut_build_info",
		Help:        "Always 1; the label is the version.",
		ConstLabels: prometheus.Labels{"version": version},
	})
	build.Set(1)
	m.registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		m.requests,
		m.latency,
		m.jobs,
		build,
		storeCollector{data},
		liveCollector{m},
	)
	return m
}

// Handler serves the metrics at /metrics without authentication. Serve it only on an address with
// restricted access.
func (m *Metrics) Handler() http.Handler {
	paths := http.NewServeMux()
	options := promhttp.HandlerOpts{MaxRequestsInFlight: 4, Timeout: 10 * time.Second}
	paths.Handle("GET /metrics", promhttp.HandlerFor(m.registry, options))
	return paths
}

// JobEnded records a finished job.
func (m *Metrics) JobEnded(kind store.JobKind, outcome string, took time.Duration) {
	m.jobs.WithLabelValues(string(kind), outcome).Observe(took.Seconds())
}

// methods lists the methods that become labels, because clients may send any word.
var methods = []string{
	http.MethodGet,
	http.MethodHead,
	http.MethodPost,
	http.MethodPut,
	http.MethodPatch,
	http.MethodDelete,
	http.MethodOptions,
}

// requestEnded records a request. route is the pattern of its path, or "" for the UI and unknown
// addresses.
func (m *Metrics) requestEnded(method, route string, status int, took time.Duration) {
	if !slices.Contains(methods, method) {
		method = "other"
	}
	route = cmp.Or(route, "other")
	m.requests.WithLabelValues(method, route, strconv.Itoa(status)).Inc()
	m.latency.WithLabelValues(method, route).Observe(took.Seconds())
}

// storeCollector queries the store at each scrape.
type storeCollector struct{ store *store.Store }

func gauge(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("roughcut_"+name, help, labels, nil)
}

var (
	jobsQueued    = gauge("jobs_queued", "Queued jobs by kind.", "kind")
	jobsRunning   = gauge("jobs_running", "Running jobs by kind.", "kind")
	mailsQueued   = gauge("mails_queued", "Queued mails.")
	usersKnown    = gauge("users", "Accounts.")
	projectsKnown = gauge("projects", "Projects.")
	storageBytes  = gauge("storage_bytes", "Bytes of all confirmed uploads.")
	freeBytes     = gauge("disk_free_bytes", "Free bytes on the disk of the data directory.")
	databaseBytes = gauge("database_bytes", "Size of the database.")
	databaseFree  = gauge("database_free_pages", "Free pages in the database.")
	databaseOpen  = gauge("database_open_reads", "Open read transactions.")
	databaseReads = gauge("database_reads_total", "Read transactions since the start.")
	databaseWrite = gauge("database_writes_total", "Pages written since the start.")
	databaseTime  = gauge("database_write_seconds_total", "Seconds spent writing to disk since the start.")
	streamsOpen   = gauge("open_streams", "Open event streams and media transfers.")
	uploadsOpen   = gauge("open_uploads", "Uploads in progress.")
)

// Describe sends the descriptions of all metrics of the store.
func (c storeCollector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		jobsQueued, jobsRunning, mailsQueued, usersKnown, projectsKnown, storageBytes, freeBytes, databaseBytes,
		databaseFree, databaseOpen, databaseReads, databaseWrite, databaseTime} {
		out <- d
	}
}

// Collect sends the metrics of the store. If it fails, the scrape fails.
func (c storeCollector) Collect(out chan<- prometheus.Metric) {
	st, err := c.store.Metrics()
	if err != nil {
		out <- prometheus.NewInvalidMetric(databaseBytes, err)
		return
	}

	set := func(d *prometheus.Desc, kind prometheus.ValueType, value float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, kind, value, labels...)
	}
	for kind, n := range st.Jobs {
		set(jobsQueued, prometheus.GaugeValue, float64(n.Queued), string(kind))
		set(jobsRunning, prometheus.GaugeValue, float64(n.Running), string(kind))
	}

	set(mailsQueued, prometheus.GaugeValue, float64(st.Mails))
	set(usersKnown, prometheus.GaugeValue, float64(st.Users))
	set(projectsKnown, prometheus.GaugeValue, float64(st.Projects))
	set(storageBytes, prometheus.GaugeValue, float64(st.StorageBytes))
	set(freeBytes, prometheus.GaugeValue, float64(st.FreeBytes))
	set(databaseBytes, prometheus.GaugeValue, float64(st.Database.SizeBytes))
	set(databaseFree, prometheus.GaugeValue, float64(st.Database.FreePages))
	set(databaseOpen, prometheus.GaugeValue, float64(st.Database.OpenReads))
	set(databaseReads, prometheus.CounterValue, float64(st.Database.Reads))
	set(databaseWrite, prometheus.CounterValue, float64(st.Database.Writes))
	set(databaseTime, prometheus.CounterValue, st.Database.WriteTime.Seconds())
}

// liveCollector counts the open streams and uploads of the measured server.
type liveCollector struct{ metrics *Metrics }

// Describe sends the descriptions of both metrics.
func (c liveCollector) Describe(out chan<- *prometheus.Desc) {
	out <- streamsOpen
	out <- uploadsOpen
}

// Collect sends the counts. Without a server it sends nothing.
func (c liveCollector) Collect(out chan<- prometheus.Metric) {
	streams, uploads := 0, 0
	if live := c.metrics.transfers.Load(); live != nil {
		streams, uploads = live.counts()
	}
	out <- prometheus.MustNewConstMetric(streamsOpen, prometheus.GaugeValue, float64(streams))
	out <- prometheus.MustNewConstMetric(uploadsOpen, prometheus.GaugeValue, float64(uploads))
}
