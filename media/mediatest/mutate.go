package mediatest

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Seed is a small valid media file to make mutants of.
type Seed struct {
	Name        string // with the extension
	ContentType string
	Asset       bool // an image, which only the library takes
	SoundOnly   bool // has no picture
	Data        []byte
}

// Seeds returns files of a second for every demuxer that Roughcut reads, with many codecs.
func Seeds(t testing.TB) []Seed {
	t.Helper()
	const (
		picture  = "-f lavfi -i testsrc2=s=64x48:r=10:d=1"
		sound    = "-f lavfi -i sine=r=48000:d=1"
		jump     = `-af asetnsamples=1024,asetpts=if(lt(T\,0.5)\,PTS\,PTS+1200/TB)`
		x264     = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p"
		hours    = `-af asetnsamples=1024,asetpts=if(lt(T\,0.5)\,PTS\,PTS+21500/TB)`
		both     = picture + " " + sound + " "
		withX264 = both + x264 + " "
	)
	var seeds []Seed
	for _, s := range []struct{ name, kind, args string }{
		{"plain.mp4", "video/mp4", withX264 + "-c:a aac"},
		{"faststart.mp4", "video/mp4", withX264 + "-c:a aac -movflags +faststart"},
		{"fragmented.mp4", "video/mp4", withX264 + "-c:a aac -g 5 -movflags frag_keyframe+empty_moov"},
		{"bframes.mp4", "video/mp4", both + "-c:v libx264 -bf 3 -g 4 -c:a mp3"},
		{"hevc.mp4", "video/mp4", picture + " -c:v libx265 -preset ultrafast -x265-params log-level=none"},
		{"mpeg4.mp4", "video/mp4", both + "-c:v mpeg4 -c:a aac"},
		{"jump.mp4", "video/mp4", sound + " " + jump + " -c:a aac -movflags frag_keyframe+empty_moov"},
		{"mono.m4a", "audio/mp4", sound + " -c:a aac"},
		{"lossless.m4a", "audio/mp4", sound + " -c:a alac"},
		{"prores.mov", "video/quicktime", picture + " -c:v prores_ks"},
		{"pcm.mov", "video/quicktime", both + "-c:v mjpeg -c:a pcm_s16be"},
		{"plain.mkv", "video/x-matroska", withX264 + "-c:a flac"},
		{"two.mkv", "video/x-matroska", withX264 + "-c:a libopus -map 0 -map 1 -map 1"},
		{"jump.mka", "video/x-matroska", sound + " " + jump + " -c:a libopus"},
		{"vp9.webm", "video/webm", both + "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -c:a libopus"},
		{"vp8.webm", "video/webm", both + "-c:v libvpx -deadline realtime -cpu-used 8 -c:a libvorbis"},
		{"plain.avi", "video/x-msvideo", both + "-c:v mpeg4 -c:a mp3"},
		{"mjpeg.avi", "video/x-msvideo", both + "-c:v mjpeg -c:a pcm_s16le"},
		{"plain.ts", "video/mp2t", withX264 + "-c:a aac"},
		{"jump.ts", "video/mp2t", sound + " " + jump + " -c:a aac"},
		{"plain.mp3", "audio/mpeg", sound + " -c:a mp3"},
		{"plain.aac", "audio/aac", sound + " -c:a aac"},
		{"plain.wav", "audio/wav", sound + " -c:a pcm_s16le"},
		{"float.wav", "audio/wav", sound + " -c:a pcm_f32le"},
		{"alaw.wav", "audio/wav", sound + " -c:a pcm_alaw"},
		{"plain.flac", "audio/flac", sound + " -c:a flac"},
		{"opus.ogg", "audio/ogg", sound + " -c:a libopus"},
		{"vorbis.ogg", "audio/ogg", sound + " -c:a libvorbis"},
		{"hours.ogg", "audio/ogg", sound + " " + hours + " -c:a libopus"},
		{"av1.mp4", "video/mp4", picture + " -c:v libaom-av1 -cpu-used 8"},
		{"hevc10.mkv", "video/x-matroska", picture + " -c:v libx265 -preset ultrafast -pix_fmt yuv420p10le " +
			"-x265-params log-level=none"},
		{"hevc.ts", "video/mp2t", picture + " -c:v libx265 -preset ultrafast -x265-params log-level=none"},
		{"variable.mov", "video/quicktime", picture + ` -vf setpts=PTS+0.3*mod(N\,3)/TB/10 -fps_mode vfr ` + x264},
		{"interlaced.ts", "video/mp2t", both + "-c:v libx264 -flags +ildct+ilme -pix_fmt yuv420p -c:a mp3"},
		{"s24.wav", "audio/wav", sound + " -c:a pcm_s24le"},
		{"s32.mov", "video/quicktime", sound + " -c:a pcm_s32be"},
		{"f64.wav", "audio/wav", sound + " -c:a pcm_f64le"},
		{"u8.avi", "video/x-msvideo", sound + " -c:a pcm_u8"},
		{"mulaw.wav", "audio/wav", sound + " -c:a pcm_mulaw"},
		{"flac.ogg", "audio/ogg", sound + " -c:a flac"},
		{"mpeg2.mpg", "video/mpeg", both + "-r 25 -c:v mpeg2video -bf 2 -c:a mp2"},
		{"mpeg1.mpg", "video/mpeg", both + "-r 25 -c:v mpeg1video -c:a mp2"},
		{"dvd.vob", "video/mpeg", both + "-r 25 -c:v mpeg2video -c:a pcm_dvd -f vob"},
		{"ac3.mts", "video/mp2t", withX264 + "-c:a ac3"},
		{"eac3.ts", "video/mp2t", withX264 + "-c:a eac3"},
		{"dts.ts", "video/mp2t", withX264 + "-c:a dca -strict -2"},
		{"lpcm.m2ts", "video/mp2t", withX264 + "-c:a pcm_bluray"},
		{"hdv.ts", "video/mp2t", both + "-r 25 -c:v mpeg2video -flags +ildct+ilme -c:a mp2"},
		{"plain.flv", "video/x-flv", withX264 + "-c:a aac"},
		{"plain.dv", "video/x-dv", both + "-r 25 -s 720x576 -t 0.2 -c:v dvvideo -pix_fmt yuv420p -ar 48000 -ac 2"},
		{"dv.avi", "video/x-msvideo", both + "-r 25 -s 720x576 -t 0.2 -c:v dvvideo -pix_fmt yuv420p -c:a pcm_s16le"},
		{"mpeg2.mxf", "application/mxf", both + "-r 25 -c:v mpeg2video -c:a pcm_s16le -ar 48000"},
		{"dnxhr.mov", "video/quicktime", both + "-t 0.4 -s 256x144 -c:v dnxhd -profile:v dnxhr_lb -pix_fmt yuv422p " +
			"-c:a pcm_s24le"},
		{"ffv1.mkv", "video/x-matroska", both + "-c:v ffv1 -level 3 -slices 4 -c:a flac"},
		{"huffyuv.avi", "video/x-msvideo", both + "-c:v huffyuv -pix_fmt yuv422p -c:a pcm_s16le"},
		{"ffvhuff.avi", "video/x-msvideo", both + "-c:v ffvhuff -pix_fmt yuv420p -c:a pcm_s16le"},
		{"utvideo.avi", "video/x-msvideo", both + "-c:v utvideo -pix_fmt yuv420p -c:a pcm_s16le"},
		{"seven.wmv", "video/x-ms-wmv", both + "-c:v wmv1 -c:a wmav1"},
		{"eight.asf", "video/x-ms-asf", both + "-c:v wmv2 -c:a wmav2"},
		{"plain.aiff", "audio/aiff", sound + " -c:a pcm_s16be"},
		{"f64.aiff", "audio/aiff", sound + " -c:a pcm_f64be"},
		{"alac.caf", "audio/x-caf", sound + " -c:a alac"},
		{"still.bmp", "image/png", picture + " -frames:v 1"}, // uploads cannot be declared as BMP
		{"moving.webp", "image/webp", picture + " -c:v libwebp_anim"},
		{"moving.gif", "image/gif", picture},
		{"still.png", "image/png", picture + " -frames:v 1"},
		{"still.jpg", "image/jpeg", picture + " -frames:v 1"},
		{"still.webp", "image/webp", picture + " -frames:v 1"},
	} {
		path := filepath.Join(t.TempDir(), s.name)
		args := strings.Fields("-v error -nostdin -y " + s.args + " -threads 1")
		runCommand(t, nil, "ffmpeg", append(args, path)...)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		asset, soundOnly := strings.HasPrefix(s.kind, "image/"), !strings.Contains(s.args, picture)
		seeds = append(seeds, Seed{s.name, s.kind, asset, soundOnly, data})
	}

	return seeds
}

// Mutate returns a damaged copy of a file: flipped bits, extreme numbers, parts that are missing,
// repeated, moved or taken from another file, or an early end. A third of all damage is near the
// start or the end, where formats keep their tables. The same random numbers give the same mutant.
func Mutate(random *rand.Rand, data, other []byte) []byte {
	out := bytes.Clone(data)
	place := func() int {
		near := min(len(out), 2048)
		switch random.IntN(6) {
		case 0:
			return random.IntN(near)
		case 1:
			return len(out) - 1 - random.IntN(near)
		}

		return random.IntN(len(out))
	}
	extremes := []byte{0, 1, 0x7f, 0x80, 0xfe, 0xff}
	for range 1 << random.IntN(7) {
		if len(out) < 16 {
			break
		}
		at := place()
		part := out[at:min(len(out), at+1+random.IntN(1<<random.IntN(12)))]
		switch random.IntN(12) {
		case 0, 1, 2, 3:
			out[at] ^= 1 << random.IntN(8)
		case 4, 5, 6:
			for i := range min(len(part), 1<<random.IntN(4)) {
				part[i] = extremes[random.IntN(len(extremes))]
			}
		case 7:
			out = append(out[:at:at], out[at+len(part):]...)
		case 8:
			if len(out) < 4*len(data)+4096 {
				out = append(append(bytes.Clone(out[:at]), part...), out[at:]...)
			}
		case 9:
			copy(out[place():], bytes.Clone(part))
		case 10:
			copy(part, other[random.IntN(len(other)):])
		case 11:
			if random.IntN(8) == 0 {
				out = out[:at+1]
			}
		}
	}

	return out
}
