package mediatest

// ShortScript returns a talk of about 20 seconds with pauses, a false start and a filler.
func ShortScript() string { return shortScript }

const shortScript = `rate 48000
floor -62
pause 600
say en-us 160 welcome back everyone
pause 700
say en-us 160 so today we are going to
pause 450
say en-us 160 so today we are going to talk about the new camera
pause 1800
say en-us 160 the first thing you need is a good microphone
pause 1200
say en-us 160 um
pause 400
say en-us 160 the light in this kitchen is not very good
pause 2400
say en-us 160 please subscribe and see you next week
pause 900
`

// ThreeMinuteScript returns a talk of about three minutes: plain sentences, pauses of 0.3 to 4
// seconds, retakes, false starts and fillers.
func ThreeMinuteScript() string { return threeMinuteScript }

const threeMinuteScript = `rate 48000
floor -64
pause 900
say en-us 158 hello and welcome back to the channel
pause 650
say en-us 158 today i am going to
pause 500
say en-us 158 today i am going to explain how we make a video
pause 1900
say en-us 158 you need a camera and a good microphone
pause 700
say en-us 158 the camera should be on a tripod
pause 2600
say en-us 158 um
pause 600
say en-us 158 the light is important because it makes the picture
pause 800
say en-us 158 a warm light by the window is very good
pause 3200
say en-us 158 now let's talk about the sound
pause 450
say en-us 158 the sound is really
pause 420
say en-us 158 the sound is really important in every recording
pause 1500
say en-us 158 people never want to watch a video with loud sound
pause 900
say en-us 158 so use a microphone and not the phone
pause 4000
say en-us 158 the second thing is the house
pause 650
say en-us 158 uh
pause 500
say en-us 158 a small place with books is quiet
pause 1100
say en-us 158 a big kitchen is not very good for recording
pause 2200
say en-us 158 please close the door and the window
pause 700
say en-us 158 and put the phone in another place
pause 3500
say en-us 158 then we start the recording
pause 380
say en-us 158 i always look into the lens
pause 480
say en-us 158 i always look into the lens and speak very slow
pause 1700
say en-us 158 if you forget a word you can start over
pause 850
say en-us 158 the software will find it and cut it out
pause 2900
say en-us 158 um
pause 450
say en-us 158 last week we tried it with the team
pause 900
say en-us 158 it took about five minutes and everyone was happy
pause 1300
say en-us 158 the old plan was to
pause 520
say en-us 158 the old plan was to edit for eight hours
pause 3800
say en-us 158 what do you think about this idea
pause 700
say en-us 158 write a comment and ask a question
pause 1600
say en-us 158 i read every question from the viewer
pause 2400
say en-us 158 next week we go to the mountain
pause 600
say en-us 158 we will take the drone and a long lens
pause 1000
say en-us 158 i think the picture will be beautiful
pause 3000
say en-us 158 uh
pause 700
say en-us 158 there is one more thing to remember
pause 800
say en-us 158 always test the microphone before you start
pause 450
say en-us 158 look at the battery and
pause 460
say en-us 158 look at the battery and the light before the first recording
pause 2100
say en-us 158 a cheap microphone is better than no microphone
pause 1400
say en-us 158 yesterday i tried to make
pause 480
say en-us 158 yesterday i tried to make a short story about the river
pause 2700
say en-us 158 the weather was cold and the water was loud
pause 900
say en-us 158 so we put the microphone under my shirt
pause 1700
say en-us 158 it was a simple idea but it worked
pause 600
say en-us 158 my friend took a photo of the horse by the old tree
pause 3300
say en-us 158 then we went to the beach with the dogs
pause 750
say en-us 158 and we found a beautiful place for the last part
pause 2000
say en-us 158 you can find the map below the video
pause 1100
say en-us 158 and a good story is better than a new camera
pause 3600
say en-us 158 that is it for today
pause 650
say en-us 158 if you love this video please subscribe
pause 900
say en-us 158 thanks for watching and see you next time
pause 1500
`
