package media_test

import (
	"fmt"

	"roughcut/media"
)

// A render plan turns clips and cuts into segments on one frame grid. Two cuts leave three segments
// of a ten-second clip.
func ExampleNewRenderPlan() {
	clip := media.RenderClip{
		Path: "talk.mp4",
		Info: media.Info{
			DurationMS: 10_000,
			Video:      &media.VideoInfo{Width: 1920, Height: 1080, Rate: media.Rate{Num: 30, Den: 1}},
			Audio:      &media.AudioInfo{SampleRate: 48_000, Channels: 2},
		},
	}
	cuts := []media.Span{{StartMS: 1000, EndMS: 2500}, {StartMS: 6000, EndMS: 7000}}

	plan, err := media.NewRenderPlan([]media.RenderClip{clip}, cuts, media.RenderSettings{VolumePercent: 100})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%dx%d, %s fps, %d ms\n", plan.Width, plan.Height, plan.Rate, plan.DurationMS())
	for _, s := range plan.Segments {
		fmt.Printf("frames %d-%d play from output frame %d\n", s.In, s.Out, s.Start)
	}
	// Output:
	// 1920x1080, 30 fps, 7500 ms
	// frames 0-30 play from output frame 0
	// frames 75-180 play from output frame 30
	// frames 210-300 play from output frame 135
}

// The first row of captionstyles.json is the default caption style.
func ExampleDefaultCaptionStyle() {
	style := media.DefaultCaptionStyle()
	fmt.Printf("%s: %s\n", style.Name, style.Description)
	// Output:
	// classic: White text with a dark outline
}
