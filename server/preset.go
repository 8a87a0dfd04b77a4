package server

import (
	"cmp"
	"context"
	"encoding/json"

	"roughcut/media"
	"roughcut/server/api"
	"roughcut/server/problem"
	"roughcut/store"
)

func presetRecord(p store.Preset) api.Preset {
	o := p.CutOptions.WithDefaults()
	return api.Preset{
		UUID:                  p.UUID,
		Name:                  p.Name,
		PacingLevel:           p.PacingLevel,
		FalseStartSensitivity: p.FalseStartSensitivity,
		CutFillers:            p.CutFillers,
		Breaths:               api.BreathChoice(o.Breaths),
		Background:            api.BackgroundChoice(o.Background),
		FaintSpeech:           api.FaintSpeechChoice(o.FaintSpeech),
		KeepDemonstrations:    o.KeepDemonstrations,
		ExactEdges:            o.ExactEdges,
		MuteKinds:             muteKinds(o),
		Language:              p.Language,
		AudioClean:            p.AudioClean,
		CensorshipMode:        api.PresetCensorshipMode(p.CensorshipMode),
		DirectorNotes:         p.DirectorNotes,
		IsDefault:             p.IsDefault,
		CreatedAt:             timestamp(p.CreatedAt),
		UpdatedAt:             timestamp(p.UpdatedAt),
	}
}

// set assigns the value of a request to a field unless the request leaves it out.
func set[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}

// setChoice is set for fields with an enum type of the contract.
func setChoice[T ~string](field *string, value *T) {
	if value != nil {
		*field = string(*value)
	}
}

// ListPresets returns the analysis presets of the caller, oldest first.
func (s handlers) ListPresets(
	ctx context.Context,
	_ api.ListPresetsRequestObject,
) (api.ListPresetsResponseObject, error) {
	list, err := s.Store.Presets(userOf(ctx))
	if err != nil {
		return nil, err
	}
	return api.ListPresets200JSONResponse{
		Items:    mapSlice(list, presetRecord),
		Total:    len(list),
		Page:     1,
		PageSize: onePageSize(len(list)),
	}, nil
}

// CreatePreset creates an analysis preset.
func (s handlers) CreatePreset(
	ctx context.Context,
	request api.CreatePresetRequestObject,
) (api.CreatePresetResponseObject, error) {
	b := request.Body
	made := store.Preset{
		Name:                  b.Name,
		PacingLevel:           valueOr(b.PacingLevel, defaultPacing),
		FalseStartSensitivity: valueOr(b.FalseStartSensitivity, defaultSensitivity),
		CutFillers:            valueOr(b.CutFillers, false),
		Language:              b.Language,
		AudioClean:            valueOr(b.AudioClean, false),
		CensorshipMode:        string(valueOr(b.CensorshipMode, "none")),
		DirectorNotes:         valueOr(b.DirectorNotes, ""),
		IsDefault:             valueOr(b.IsDefault, false),
	}
	cutChoices{
		breaths: b.Breaths, background: b.Background, faintSpeech: b.FaintSpeech,
		keepDemonstrations: b.KeepDemonstrations, exactEdges: b.ExactEdges, muteKinds: b.MuteKinds,
	}.apply(&made.CutOptions)
	preset, err := s.Store.CreatePreset(userOf(ctx), made)
	if err != nil {
		return nil, err
	}
	return api.CreatePreset201JSONResponse(presetRecord(preset)), nil
}

// UpdatePreset changes an analysis preset. A null language means detection; a missing one stays the
// same.
func (s handlers) UpdatePreset(
	ctx context.Context,
	request api.UpdatePresetRequestObject,
) (api.UpdatePresetResponseObject, error) {
	b := request.Body
	var language *string
	if len(b.Language) > 0 {
		if err := json.Unmarshal(b.Language, &language); err != nil {
			return nil, problem.FieldError("language", "The language could not be parsed. Send a string or null.")
		}
	}
	choices := cutChoices{
		breaths: b.Breaths, background: b.Background, faintSpeech: b.FaintSpeech,
		keepDemonstrations: b.KeepDemonstrations, exactEdges: b.ExactEdges, muteKinds: b.MuteKinds,
	}
	preset, err := s.Store.UpdatePreset(userOf(ctx), request.PresetUUID, func(p *store.Preset) {
		set(&p.Name, b.Name)
		set(&p.PacingLevel, b.PacingLevel)
		set(&p.FalseStartSensitivity, b.FalseStartSensitivity)
		set(&p.CutFillers, b.CutFillers)
		choices.apply(&p.CutOptions)
		if len(b.Language) > 0 {
			p.Language = language
		}
		set(&p.AudioClean, b.AudioClean)
		setChoice(&p.CensorshipMode, b.CensorshipMode)
		set(&p.DirectorNotes, b.DirectorNotes)
		set(&p.IsDefault, b.IsDefault)
	})
	if err != nil {
		return nil, err
	}
	return api.UpdatePreset200JSONResponse(presetRecord(preset)), nil
}

// DeletePreset deletes an analysis preset.
func (s handlers) DeletePreset(
	ctx context.Context,
	request api.DeletePresetRequestObject,
) (api.DeletePresetResponseObject, error) {
	if err := s.Store.DeletePreset(userOf(ctx), request.PresetUUID); err != nil {
		return nil, err
	}
	return api.DeletePreset204Response{}, nil
}

func previewPresetRecord(p store.PreviewPreset) api.PreviewPreset {
	return api.PreviewPreset{
		UUID:            p.UUID,
		Name:            p.Name,
		Format:          api.PreviewPresetFormat(p.Format),
		FileType:        api.PreviewPresetFileType(cmp.Or(p.FileType, media.DefaultExportFormat().Name)),
		Background:      p.Background,
		CaptionStyle:    api.PreviewPresetCaptionStyle(p.CaptionStyle),
		CaptionFont:     p.CaptionFont,
		CaptionSize:     p.CaptionSize,
		CaptionPosition: api.PreviewPresetCaptionPosition(p.CaptionPosition),
		CaptionColor:    p.CaptionColor,
		CaptionLength:   api.PreviewPresetCaptionLength(p.CaptionLength),
		VideoFlipH:      p.FlipH,
		VideoFlipV:      p.FlipV,
		CreatedAt:       timestamp(p.CreatedAt),
		UpdatedAt:       timestamp(p.UpdatedAt),
	}
}

// ListPreviewPresets returns the preview presets of the caller, oldest first.
func (s handlers) ListPreviewPresets(
	ctx context.Context,
	_ api.ListPreviewPresetsRequestObject,
) (api.ListPreviewPresetsResponseObject, error) {
	list, err := s.Store.PreviewPresets(userOf(ctx))
	if err != nil {
		return nil, err
	}
	return api.ListPreviewPresets200JSONResponse{
		Items:    mapSlice(list, previewPresetRecord),
		Total:    len(list),
		Page:     1,
		PageSize: onePageSize(len(list)),
	}, nil
}

// CreatePreviewPreset creates a preview preset.
func (s handlers) CreatePreviewPreset(
	ctx context.Context,
	request api.CreatePreviewPresetRequestObject,
) (api.CreatePreviewPresetResponseObject, error) {
	b := request.Body
	preset, err := s.Store.CreatePreviewPreset(userOf(ctx), store.PreviewPreset{
		Name:       b.Name,
		Format:     string(valueOr(b.Format, media.AsRecorded)),
		FileType:   string(valueOr(b.FileType, api.NewPreviewPresetFileType(media.DefaultExportFormat().Name))),
		Background: valueOr(b.Background, "#000000"),
		CaptionStyle: string(
			valueOr(b.CaptionStyle, api.NewPreviewPresetCaptionStyle(media.DefaultCaptionStyle().Name)),
		),
		CaptionFont:     valueOr(b.CaptionFont, ""),
		CaptionSize:     valueOr(b.CaptionSize, 48),
		CaptionPosition: string(valueOr(b.CaptionPosition, "bottom")),
		CaptionColor:    valueOr(b.CaptionColor, "#ffffff"),
		CaptionLength:   string(valueOr(b.CaptionLength, "medium")),
		FlipH:           valueOr(b.VideoFlipH, false),
		FlipV:           valueOr(b.VideoFlipV, false),
	})
	if err != nil {
		return nil, err
	}
	return api.CreatePreviewPreset201JSONResponse(previewPresetRecord(preset)), nil
}

// UpdatePreviewPreset changes a preview preset.
func (s handlers) UpdatePreviewPreset(
	ctx context.Context,
	request api.UpdatePreviewPresetRequestObject,
) (api.UpdatePreviewPresetResponseObject, error) {
	b := request.Body
	preset, err := s.Store.UpdatePreviewPreset(userOf(ctx), request.PresetUUID, func(p *store.PreviewPreset) {
		set(&p.Name, b.Name)
		setChoice(&p.Format, b.Format)
		setChoice(&p.FileType, b.FileType)
		set(&p.Background, b.Background)
		setChoice(&p.CaptionStyle, b.CaptionStyle)
		set(&p.CaptionFont, b.CaptionFont)
		set(&p.CaptionSize, b.CaptionSize)
		setChoice(&p.CaptionPosition, b.CaptionPosition)
		set(&p.CaptionColor, b.CaptionColor)
		setChoice(&p.CaptionLength, b.CaptionLength)
		set(&p.FlipH, b.VideoFlipH)
		set(&p.FlipV, b.VideoFlipV)
	})
	if err != nil {
		return nil, err
	}
	return api.UpdatePreviewPreset200JSONResponse(previewPresetRecord(preset)), nil
}

// DeletePreviewPreset deletes a preview preset.
func (s handlers) DeletePreviewPreset(
	ctx context.Context,
	request api.DeletePreviewPresetRequestObject,
) (api.DeletePreviewPresetResponseObject, error) {
	if err := s.Store.DeletePreviewPreset(userOf(ctx), request.PresetUUID); err != nil {
		return nil, err
	}
	return api.DeletePreviewPreset204Response{}, nil
}
