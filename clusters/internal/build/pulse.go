package build

import (
	"sync"
	"time"
)

// Heartbeat is how often a running stage says what it is at.
const Heartbeat = 5 * time.Second

// pulse says what a stage is at now and then, until it is stopped.
type pulse struct {
	progress Progress
	event    Event
	begun    time.Time

	mu   sync.Mutex
	text string
	stop chan struct{}
	done chan struct{}
}

// StartPulse says that a stage has begun, and goes on saying what it is at.
func StartPulse(progress Progress, event Event, every time.Duration) *pulse {
	p := &pulse{progress: progress, event: event, begun: time.Now(), stop: make(chan struct{}), done: make(chan struct{})}
	p.event.State = Running
	p.tell(event.Text)
	go p.beat(every)
	return p
}

func (p *pulse) beat(every time.Duration) {
	defer close(p.done)
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-p.stop:
			return
		case <-ticker.C:
			p.mu.Lock()
			text := p.text
			p.mu.Unlock()
			p.tell(text)
		}
	}
}

// Say notes what the stage is at; it is reported with the next beat.
func (p *pulse) Say(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = text
}

// tell passes an event on.
func (p *pulse) tell(text string) {
	if p.progress == nil {
		return
	}
	e := p.event
	e.Text, e.Elapsed = text, time.Since(p.begun)
	p.progress(e)
}

// End stops the pulse; where the stage went well it says so, with text.
func (p *pulse) End(ok bool, text string) {
	close(p.stop)
	<-p.done
	if ok {
		p.event.State = Done
		p.tell(text)
	}
}
