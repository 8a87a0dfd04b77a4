package store

// SpeechModel returns the file name of the speech model that an admin selected, empty when no model
// is selected.
func (s *Store) SpeechModel() (file string, err error) {
	return viewed(s, func(t *txn) (file string, err error) {
		file = string(t.Bucket([]byte(bucketMeta)).Get([]byte(metaSpeech)))
		return file, nil
	})
}

// SetSpeechModel selects a speech model by its file name. An empty name leaves the selection to the
// program.
func (s *Store) SetSpeechModel(file string) error {
	return s.update(func(t *txn) error {
		meta := t.Bucket([]byte(bucketMeta))
		if file == "" {
			return meta.Delete([]byte(metaSpeech))
		}
		return meta.Put([]byte(metaSpeech), []byte(file))
	})
}
