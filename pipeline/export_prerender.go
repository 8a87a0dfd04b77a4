package pipeline

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"roughcut/media"
	"roughcut/store"
)

// preparing is what is prepared now.
type preparing struct {
	project string
	cancel  context.CancelFunc
	done    chan bool // whether it came to its end, and need not be tried again
}

// prepare has the pieces encoded that the next exports of edited projects will ask for, the last
// edited one first. It does so one project at a time, when no job has run and no cut has changed
// for PrerenderAfter; a job that starts ends it at once, as does a change of the project. What it
// knows is lost with the process: exports then take the time that they would have taken.
func (p *Pool) prepare(ctx context.Context) {
	var waiting []string
	var now preparing // of no project while nothing is prepared
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
				now = p.startPreparing(ctx, waiting[len(waiting)-1])
				if now.project != "" {
					waiting = waiting[:len(waiting)-1]
				}
			}
		case whole := <-now.done:
			now.cancel()
			if !whole && !slices.Contains(waiting, now.project) {
				waiting = append(waiting, now.project)
			}
			now = preparing{}
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

// startPreparing begins to prepare a project, unless a job runs: the end of the last one is heard
// of.
func (p *Pool) startPreparing(ctx context.Context, project string) preparing {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.running) > 0 {
		return preparing{}
	}
	ctx, cancel := context.WithCancel(ctx)
	p.yield = cancel
	now := preparing{project, cancel, make(chan bool, 1)}
	go func() { now.done <- p.prepareProject(ctx, project) }()
	return now
}

// prepareProject prepares the next export of a project. It returns false when it was interrupted.
func (p *Pool) prepareProject(ctx context.Context, project string) bool {
	err := p.prepareExport(ctx, project)
	var known *store.Error
	var file FileFault
	switch {
	case ctx.Err() != nil:
		return false
	case err != nil && !errors.As(err, &known) && !errors.As(err, &file):
		p.Log.Warn("preparing an export", "project", project, "error", err)
	}
	return true // what an export could not do either is for the export to tell
}

func (p *Pool) prepareExport(ctx context.Context, project string) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("panic: %v\n%s", fault, debug.Stack())
		}
	}()
	in, err := p.Store.PreRenderInput(project)
	if err == nil {
		err = in.CheckLinkedFiles()
	}
	if err != nil {
		return err
	}
	plan, err := media.NewRenderPlan(in.Clips, in.Cuts, planSettings(in))
	if err != nil {
		return asFileFault(err)
	}
	return p.Engine.Prerender(ctx, plan)
}
