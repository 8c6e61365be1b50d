package mutate

// kindTest is a change and what a history tells otherwise after it.
type kindTest struct {
	kind, text string
	want       map[string]string
}

var eachKind = []kindTest{
	{KindEndsSwapped, "batch-x1/app and batch-x1/helper end at each other's time, 4.0 s apart", map[string]string{}},
}
