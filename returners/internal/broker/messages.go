package broker

import "github.com/momtree/mom/returners"

// OfEvents returns the messages of events, and an outcome for each: ErrInvalid for one that has no
// document, otherwise nil.
func OfEvents(events []returners.Event) ([]Message, []error) { return each(events, OfEvent) }

// OfReturns is OfEvents for returns.
func OfReturns(rets []returners.Return) ([]Message, []error) { return each(rets, OfReturn) }

func each[T any](rows []T, of func(T) (Message, error)) ([]Message, []error) {
	messages, outcome := make([]Message, len(rows)), make([]error, len(rows))
	for i := range rows {
		messages[i], outcome[i] = of(rows[i])
	}
	return messages, outcome
}

// Valid returns the indices of the rows without an error.
func Valid(outcome []error) (rows []int) {
	for i, err := range outcome {
		if err == nil {
			rows = append(rows, i)
		}
	}
	return rows
}
