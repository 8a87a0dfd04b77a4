//go:build !linux

package e2e

import "errors"

// asFaulty is for Linux.
const asFaulty = "ROUGHCUT_TEST_AS_FAULTY"

func becomeFaulty() error { return errors.New("only Linux asks about system calls") }
