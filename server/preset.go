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
	record := api.Preset{
		UUID:           p.UUID,
		Name:           p.Name,
		Language:       p.Language,
		AudioClean:     p.AudioClean,
		CensorshipMode: api.PresetCensorshipMode(p.CensorshipMode),
		DirectorNotes:  p.DirectorNotes,
		IsDefault:      p.IsDefault,
		CreatedAt:      timestamp(p.CreatedAt),
		UpdatedAt:      timestamp(p.UpdatedAt),
	}
	writeOptions(&record, p.CutOptions)
	return record
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
	list, err := s.Store.Presets().List(userOf(ctx))
	return api.ListPresets200JSONResponse(wholePage(list, presetRecord)), err
}

// CreatePreset creates an analysis preset: a change of the default settings.
func (s handlers) CreatePreset(
	ctx context.Context,
	request api.CreatePresetRequestObject,
) (api.CreatePresetResponseObject, error) {
	var change api.PresetChange
	recode(request.Body, &change)
	made := store.Preset{CutOptions: media.DefaultCutOptions(), CensorshipMode: "none"}
	changePreset(&made, change, request.Body.Language)
	preset, err := s.Store.Presets().Create(userOf(ctx), made)
	return api.CreatePreset201JSONResponse(presetRecord(preset)), err
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
			return nil, problem.FieldError("language", "must be a string or null")
		}
	}

	preset, err := s.Store.Presets().Update(userOf(ctx), request.PresetUUID, func(p *store.Preset) {
		if len(b.Language) == 0 {
			language = p.Language
		}
		changePreset(p, *b, language)
	})
	return api.UpdatePreset200JSONResponse(presetRecord(preset)), err
}

// changePreset sets the fields that a change names, and the language.
func changePreset(p *store.Preset, c api.PresetChange, language *string) {
	store.SetIfGiven(&p.Name, c.Name)
	readOptions(c, &p.CutOptions)
	p.Language = language
	store.SetIfGiven(&p.AudioClean, c.AudioClean)
	setChoice(&p.CensorshipMode, c.CensorshipMode)
	store.SetIfGiven(&p.DirectorNotes, c.DirectorNotes)
	store.SetIfGiven(&p.IsDefault, c.IsDefault)
}

// DeletePreset deletes an analysis preset.
func (s handlers) DeletePreset(
	ctx context.Context,
	request api.DeletePresetRequestObject,
) (api.DeletePresetResponseObject, error) {
	err := s.Store.Presets().Delete(userOf(ctx), request.PresetUUID)
	return api.DeletePreset204Response{}, err
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
	list, err := s.Store.PreviewPresets().List(userOf(ctx))
	return api.ListPreviewPresets200JSONResponse(wholePage(list, previewPresetRecord)), err
}

// CreatePreviewPreset creates a preview preset: a change of the default settings.
func (s handlers) CreatePreviewPreset(
	ctx context.Context,
	request api.CreatePreviewPresetRequestObject,
) (api.CreatePreviewPresetResponseObject, error) {
	var change api.PreviewPresetChange
	recode(request.Body, &change)
	made := store.PreviewPreset{
		Format:          media.AsRecorded,
		FileType:        media.DefaultExportFormat().Name,
		Background:      "#000000",
		CaptionStyle:    media.DefaultCaptionStyle().Name,
		CaptionSize:     48,
		CaptionPosition: "bottom",
		CaptionColor:    "#ffffff",
		CaptionLength:   "medium",
	}
	changePreviewPreset(&made, change)
	preset, err := s.Store.PreviewPresets().Create(userOf(ctx), made)
	return api.CreatePreviewPreset201JSONResponse(previewPresetRecord(preset)), err
}

// UpdatePreviewPreset changes a preview preset.
func (s handlers) UpdatePreviewPreset(
	ctx context.Context,
	request api.UpdatePreviewPresetRequestObject,
) (api.UpdatePreviewPresetResponseObject, error) {
	preset, err := s.Store.PreviewPresets().Update(userOf(ctx), request.PresetUUID, func(p *store.PreviewPreset) {
		changePreviewPreset(p, *request.Body)
	})
	return api.UpdatePreviewPreset200JSONResponse(previewPresetRecord(preset)), err
}

// changePreviewPreset sets the fields that a change names.
func changePreviewPreset(p *store.PreviewPreset, c api.PreviewPresetChange) {
	store.SetIfGiven(&p.Name, c.Name)
	setChoice(&p.Format, c.Format)
	setChoice(&p.FileType, c.FileType)
	store.SetIfGiven(&p.Background, c.Background)
	setChoice(&p.CaptionStyle, c.CaptionStyle)
	store.SetIfGiven(&p.CaptionFont, c.CaptionFont)
	store.SetIfGiven(&p.CaptionSize, c.CaptionSize)
	setChoice(&p.CaptionPosition, c.CaptionPosition)
	store.SetIfGiven(&p.CaptionColor, c.CaptionColor)
	setChoice(&p.CaptionLength, c.CaptionLength)
	store.SetIfGiven(&p.FlipH, c.VideoFlipH)
	store.SetIfGiven(&p.FlipV, c.VideoFlipV)
}

// DeletePreviewPreset deletes a preview preset.
func (s handlers) DeletePreviewPreset(
	ctx context.Context,
	request api.DeletePreviewPresetRequestObject,
) (api.DeletePreviewPresetResponseObject, error) {
	err := s.Store.PreviewPresets().Delete(userOf(ctx), request.PresetUUID)
	return api.DeletePreviewPreset204Response{}, err
}
