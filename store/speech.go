package store

// SpeechModel returns the file name of the speech model that an admin chose, empty where nobody
// did.
func (s *Store) SpeechModel() (file string, err error) {
	err = s.view(func(t *txn) error {
		file = string(t.Bucket([]byte(bucketMeta)).Get([]byte(metaSpeech)))
		return nil
	})
	return file, err
}

// ChooseSpeechModel keeps which speech model is used, by its file name; an empty one leaves it to
// the program again.
func (s *Store) SetSpeechModel(file string) error {
	return s.update(func(t *txn) error {
		meta := t.Bucket([]byte(bucketMeta))
		if file == "" {
			return meta.Delete([]byte(metaSpeech))
		}
		return meta.Put([]byte(metaSpeech), []byte(file))
	})
}
