package pipeline

import (
	"context"
	"errors"
	"slices"
	"time"

	"roughcut/store"
)

// prerendering is a running pre-render.
type prerendering struct {
	project string // empty if no pre-render is running
	cancel  context.CancelFunc
	done    chan bool // receives false if the pre-render was interrupted and must be repeated
}

// prerender encodes the chunks that the next exports of edited projects will need, one project at a
// time, and the last edited project first. It waits until no job has run and no edit has changed
// for PrerenderAfter. A job, or a change of the project, interrupts it immediately. The list of
// edited projects is lost when the process ends; their exports then take longer.
func (p *Pool) prerender(ctx context.Context) {
	var waiting []string
	var now prerendering
	quiet := time.NewTimer(p.PrerenderAfter)
	defer quiet.Stop()
	for {
		select {
		case project := <-p.Store.EditedProjects():
			waiting = append(slices.DeleteFunc(waiting, func(other string) bool { return other == project }), project)
			if now.project == project {
				now.cancel()
			}
			quiet.Reset(p.PrerenderAfter)
		case <-p.idle:
			quiet.Reset(p.PrerenderAfter)
		case <-quiet.C:
			if now.project == "" && len(waiting) > 0 {
				now = p.startPrerender(ctx, waiting[len(waiting)-1])
				if now.project != "" {
					waiting = waiting[:len(waiting)-1]
				}
			}
		case complete := <-now.done:
			now.cancel()
			if !complete && !slices.Contains(waiting, now.project) {
				waiting = append(waiting, now.project)
			}
			now = prerendering{}
			quiet.Reset(p.PrerenderAfter)
		case <-ctx.Done():
			if now.project != "" {
				<-now.done
				now.cancel()
			}

			return
		}
	}
}

// startPrerender starts to pre-render a project, unless a job is running: the end of the last job
// triggers another attempt.
func (p *Pool) startPrerender(ctx context.Context, project string) prerendering {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.running) > 0 {
		return prerendering{}
	}
	ctx, cancel := context.WithCancel(ctx)
	p.yield = cancel
	now := prerendering{project, cancel, make(chan bool, 1)}
	go func() { now.done <- p.prerenderProject(ctx, project) }()
	return now
}

// prerenderProject pre-renders the next export of a project. It returns false if it was
// interrupted.
func (p *Pool) prerenderProject(ctx context.Context, project string) bool {
	err := p.prerenderExport(ctx, project)
	var known *store.Error
	var file FileFault
	switch {
	case ctx.Err() != nil:
		return false
	case err != nil && !errors.As(err, &known) && !errors.As(err, &file):
		p.Log.Warn("pre-rendering an export failed", "project", project, "error", err)
	}

	return true // the export will report errors that the user can cause
}

func (p *Pool) prerenderExport(ctx context.Context, project string) (err error) {
	defer panicAsError(&err)
	in, err := p.Store.PreRenderInput(project)
	if err == nil {
		err = in.CheckLinkedFiles()
	}
	if err != nil {
		return err
	}
	if in, err = p.withFaces(ctx, in); err != nil {
		return err
	}
	plan, err := renderPlan(in)
	if err != nil {
		return err
	}
	return p.Engine.Prerender(ctx, plan)
}
