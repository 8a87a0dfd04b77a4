package media

// ConstantRatePlan plans a copy of a recording with a constant frame rate: all frames at the
// standard rate nearest to the nominal one, in the codec of the recording where its packets can be
// copied. Frame n of the copy is frame n of any timeline at that rate. The copy has all audio
// tracks with their channels, and the timecode of the recording. Errors: as NewRenderPlan.
func ConstantRatePlan(clip RenderClip) (RenderPlan, error) {
	if v := clip.Info.Video; v != nil {
		video := *v
		video.Rate = StandardRate(v.Rate)
		clip.Info.Video = &video
	}

	plan, err := NewRenderPlan([]RenderClip{clip}, nil, RenderSettings{
		ShortSide: recordedSide, AspectRatio: AsRecorded, VolumePercent: 100, KeepCodec: true,
	})
	if a := clip.Info.Audio; a != nil && a.Channels <= MaxChannels && len(clip.Info.HeardTracks()) <= 1 {
		plan.Channels, plan.Mono = a.Channels, false
	}
	for i := range plan.OtherTracks {
		other := &plan.OtherTracks[i]
		channels := clip.Info.AudioTracks[other.Tracks[0]].Channels
		if channels > 0 && channels <= MaxChannels {
			other.Channels, other.Mono = channels, false
		}
	}

	if v := clip.Info.Video; v != nil {
		plan.Timecode, plan.TimecodeFrame = clip.Info.Timecode, plan.Rate.Frame(v.StartUS/1000)
	}
	return plan, err
}
