// Reads an OTIO file with OpenTimelineIO's library and prints its tracks: a line for each track, then one for each clip with its
// file, the frames of its source and its place on the track. Exits with 1 and the reason for a file that the library refuses.
#include <cstdio>
#include <opentimelineio/clip.h>
#include <opentimelineio/externalReference.h>
#include <opentimelineio/timeline.h>
#include <opentimelineio/track.h>

namespace otio = opentimelineio::OPENTIMELINEIO_VERSION;

int main(int, char **argv)
{
    otio::ErrorStatus status;
    otio::SerializableObject::Retainer<otio::Timeline> line(
        dynamic_cast<otio::Timeline *>(otio::Timeline::from_json_file(argv[1], &status)));
    if (otio::is_error(status) || !line) {
        std::fprintf(stderr, "%s\n", status.full_description.c_str());
        return 1;
    }
    for (auto child : line.value->tracks()->children()) {
        auto track = dynamic_cast<otio::Track *>(child.value);
        std::printf("track %s\n", track->kind().c_str());
        for (auto item : track->children()) {
            auto clip = dynamic_cast<otio::Clip *>(item.value);
            if (!clip)
                continue;
            auto file = dynamic_cast<otio::ExternalReference *>(clip->media_reference());
            auto source = clip->trimmed_range(&status);
            auto place = track->range_of_child(clip, &status);
            if (otio::is_error(status) || !file) {
                std::fprintf(stderr, "%s: %s\n", clip->name().c_str(), status.full_description.c_str());
                return 1;
            }
            std::printf("%s %.10g+%.10g at %.10g %s\n", file->target_url().c_str(), source.start_time().value(), source.duration().value(),
                place.start_time().value(), clip->enabled() ? "enabled" : "disabled");
        }
    }
}
