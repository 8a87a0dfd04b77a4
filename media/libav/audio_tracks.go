package libav

// openOtherTracks opens the further audio tracks of the export. Each takes the way of the heard
// audio, as the audio of a render without video. Call it after openAudioTrack.
func (r *render) openOtherTracks() error {
	if err := r.locateOtherTracks(); err != nil {
		return err
	}
	for i, other := range r.others {
		other.mux, other.tally = r.mux, r.tally.other(i, other)
		if err := other.openAudioTrack(); err != nil {
			return err
		}
	}

	return nil
}

// locateOtherTracks makes the renders of the further audio tracks.
func (r *render) locateOtherTracks() error {
	r.others = nil
	for _, track := range r.plan.OtherTracks {
		other := &render{engine: r.engine, ctx: r.ctx, plan: r.plan.Other(track), meter: r.meter, attempt: r.attempt}
		if err := other.locate(); err != nil {
			return err
		}
		if len(r.cachedAudio.files) > 0 {
			other.findCachedAudio()
		}
		r.others = append(r.others, other)
	}

	return nil
}

// audioTracks returns the renders of all audio tracks, the heard one first.
func (r *render) audioTracks() (tracks []*render) {
	if r.plan.HasAudio() {
		tracks = append(tracks, r)
	}
	return append(tracks, r.others...)
}

// audioTrack returns the audio track of the muxer, -1 without audio.
func (r *render) audioTrack() int {
	switch {
	case r.copied != nil:
		return r.copied.track
	case r.audio != nil:
		return r.audio.Track
	}

	return -1
}

// writeAudioTrack writes the audio track.
func (r *render) writeAudioTrack() error {
	if r.copied != nil {
		return r.writeCopiedAudio()
	}
	return r.writeAudio()
}

// tagAudioTracks states languages and titles if there are several audio tracks. Players play the
// heard one. others are the further tracks of the muxer.
func (r *render) tagAudioTracks(heard int, others ...int) error {
	if len(others) == 0 || heard < 0 {
		return nil
	}
	if err := r.mux.TagAudio(heard, r.tags.AudioLanguage, r.tags.AudioTitle); err != nil {
		return err
	}
	r.mux.Prefer(heard)
	for i, track := range others {
		of := r.plan.OtherTracks[i]
		if err := r.mux.TagAudio(track, of.Language, of.Title); err != nil {
			return err
		}
	}

	return nil
}

// closeAudio closes the audio tracks.
func (r *render) closeAudio() {
	if r.audio != nil {
		r.audio.Close()
	}
	if r.copied != nil {
		r.copied.close()
	}
	for _, other := range r.others {
		other.closeAudio()
	}
}
