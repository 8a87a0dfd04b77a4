package voices

import (
	"testing"
)

// step changes the recording of a stage.
type step func(t testing.TB, s *stage)

// Conditions returns the names of all recording conditions, sorted.
func Conditions() []string { return sortedKeys(conditions()) }

// conditions returns the steps of each condition. Levels count in decibels under the voice. Every
// step draws its random numbers from the seed of the recording.
func conditions() map[string][]step {
	booth := hiss(58)
	return map[string][]step{
		"booth":            {booth},
		"room 45":          {hiss(45)},
		"room 35":          {hiss(35)},
		"room 25":          {hiss(25)},
		"hum":              {booth, hum(28)},
		"fan":              {booth, fan(30)},
		"fan loud":         {booth, fan(20)},
		"telephone":        {hiss(40), telephone},
		"low bitrate":      {hiss(42), lowBitrate},
		"clipped":          {hiss(45), clipped(18)},
		"whispered":        {whispered, hiss(40)},
		"street":           {booth, street(20)},
		"street far":       {booth, street(30)},
		"keyboard":         {hiss(50), keyboard(14)},
		"keyboard quiet":   {hiss(45), keyboard(26)},
		"breaths":          {hiss(55), breaths(27)},
		"breaths loud":     {hiss(50), breaths(20)},
		"objects":          {hiss(50), objects(10)},
		"objects quiet":    {hiss(45), objects(20)},
		"music 15":         {booth, music(15)},
		"music 20":         {booth, music(20)},
		"music 25":         {booth, music(25)},
		"agc phone":        {hiss(45), agc{maxDB: 30, attackMS: 10, riseDB: 30}.step},
		"agc laptop":       {booth, fan(40), agc{maxDB: 20, attackMS: 40, riseDB: 12}.step},
		"agc meeting":      {reverb(0.25, 6), hiss(42), agc{maxDB: 26, attackMS: 20, riseDB: 20}.step},
		"pumping camera":   {hiss(32), pumping{attackMS: 10, releaseMS: 500}.step},
		"pumping call":     {booth, fan(28), pumping{attackMS: 20, releaseMS: 1000}.step},
		"pumping noisy":    {hiss(25), pumping{attackMS: 20, releaseMS: 1000}.step},
		"pumping recorder": {hiss(40), street(30), pumping{attackMS: 50, releaseMS: 3000}.step},
		"pumping turns":    {turns(8), hiss(35), pumping{attackMS: 20, releaseMS: 2000}.step},
		"fan switched on":  {booth, fanSwitchedOn(22)},
		"reverberant":      {reverb(0.5, 4), hiss(48)},
		"far microphone":   {reverb(0.4, -2), muffled, hiss(28)},
		"desk":             {hiss(48), fan(32), breaths(26), keyboard(18)},
		"street phone":     {hiss(50), street(22), telephone},
		"cafe":             {reverb(0.3, 6), hiss(45), music(22), objects(18)},
	}
}
