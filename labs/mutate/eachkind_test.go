package mutate

// kindTest is a change and what a history tells otherwise after it; "-" is what
// it does not tell any more.
type kindTest struct {
	kind, text string
	want       map[string]string
}

var eachKind = []kindTest{
	{"ends swapped", "batch-x1/app and batch-x1/helper end at each other's time, 4 s apart", map[string]string{
		"batch-x1 ready":  "0/3,1/3,3/3,2/3,1/3,0/3",
		"batch-x1/app":    "terminated ready=false restarts=0 [2.00-14.00 0 Completed oom=false]",
		"batch-x1/helper": "terminated ready=false restarts=0 [2.50-10.00 0 Completed oom=false]",
	}},
	{"starts swapped", "batch-x1/app and batch-x1/helper start at each other's time, 0.5 s apart", map[string]string{
		"batch-x1 ready":  "0/3,1/3,2/3,3/3,2/3,0/3",
		"batch-x1/app":    "terminated ready=false restarts=0 [2.50-10.00 0 Completed oom=false]",
		"batch-x1/helper": "terminated ready=false restarts=0 [2.00-14.00 0 Completed oom=false]",
	}},
	{"end moved", "batch-x1/proxy ends 6 s later", map[string]string{
		"batch-x1 ready": "0/3,1/3,3/3,2/3,1/3,0/3",
		"batch-x1/proxy": "terminated ready=false restarts=0 [1.00-22.00 137 Error oom=false]",
	}},
	{"end moved", "batch-x1/proxy ends 6 s sooner", map[string]string{
		"batch-x1 ready": "0/3,1/3,3/3,1/3,0/3",
		"batch-x1/proxy": "terminated ready=false restarts=0 [1.00-10.00 137 Error oom=false]",
	}},
	{"start moved", "batch-x1/proxy starts 2 s later, and everything in it moves too", map[string]string{
		"batch-x1 ready":       "0/3,3/3,2/3,1/3,0/3",
		"batch-x1 statuses":    "Init:0/1,Running,NotReady,Completed",
		"batch-x1/proxy lines": "3.10 0 serves",
		"batch-x1/proxy":       "terminated ready=false restarts=0 [3.00-18.00 137 Error oom=false]",
	}},
	{"all later", "everything from 0.190 s on comes 2 s later", map[string]string{
		"asked":                "19.00",
		"bare/crash lines":     "8.00 1 again",
		"bare/crash":           "running ready=true restarts=1 [4.20-6.20 137 OOMKilled oom=true] [7.20]",
		"batch-x1/app lines":   "5.00 0 works",
		"batch-x1/app":         "terminated ready=false restarts=0 [4.00-12.00 0 Completed oom=false]",
		"batch-x1/helper":      "terminated ready=false restarts=0 [4.50-16.00 0 Completed oom=false]",
		"batch-x1/proxy lines": "3.10 0 serves",
		"batch-x1/proxy":       "terminated ready=false restarts=0 [3.00-18.00 137 Error oom=false]",
		"step all":             "2.20 \"\" [\"unknown field \\\"y\\\"\"] \"\" 0",
		"step look":            "5.50 \"\" [] \"hello\\n\" 0",
	}},
	{"all sooner", "everything from 14.000 s on comes 3.6 s sooner", map[string]string{
		"asked":           "13.35",
		"batch-x1/helper": "terminated ready=false restarts=0 [2.50-10.35 0 Completed oom=false]",
		"batch-x1/proxy":  "terminated ready=false restarts=0 [1.00-12.35 137 Error oom=false]",
	}},
	{"exit code", "batch-x1/app ends with 1, and not 0", map[string]string{
		"batch-x1 statuses": "Init:0/1,PodInitializing,Running,Error",
		"batch-x1":          "Failed Error 0/3",
		"batch-x1/app":      "terminated ready=false restarts=0 [2.00-10.00 1 Error oom=false]",
		"job batch":         "0 0 1 map[Failed:True]",
	}},
	{"signal", "batch-x1/proxy ends with 143, and not 137", map[string]string{
		"batch-x1/proxy": "terminated ready=false restarts=0 [1.00-16.00 143 Error oom=false]",
	}},
	{"signal", "batch-x1/app ends with 137, and not 0", map[string]string{
		"batch-x1 statuses": "Init:0/1,PodInitializing,Running,Error",
		"batch-x1":          "Failed Error 0/3",
		"batch-x1/app":      "terminated ready=false restarts=0 [2.00-10.00 137 Error oom=false]",
		"job batch":         "0 0 1 map[Failed:True]",
	}},
	{"memory kill", "the kernel kills a process in batch-x1/app for lack of memory, and the container ends with 137", map[string]string{
		"batch-x1 statuses": "Init:0/1,PodInitializing,Running,OOMKilled",
		"batch-x1":          "Failed OOMKilled 0/3",
		"batch-x1/app":      "terminated ready=false restarts=0 [2.00-10.00 137 OOMKilled oom=true]",
		"job batch":         "0 0 1 map[Failed:True]",
	}},
	{"memory kill", "the kernel kills no process in run 1 of bare/crash, which still ends with 137", map[string]string{
		"bare statuses": "PodInitializing,Running,Error",
		"bare/crash":    "running ready=true restarts=1 [2.20-4.20 137 Error oom=false] [5.20]",
	}},
	{"restart more", "batch-x1/proxy fails 7.5 s after its start and is restarted 1 s later", map[string]string{
		"batch-x1 ready":    "0/3,1/3,3/3,2/3,3/3,2/3,0/3",
		"batch-x1 statuses": "Init:0/1,PodInitializing,Running,Init:Error,NotReady,Completed",
		"batch-x1/proxy":    "terminated ready=false restarts=1 [1.00-8.50 1 Error oom=false] [9.50-16.00 137 Error oom=false]",
	}},
	{"restart more", "batch-x1/app fails 0.0 s after its start and is restarted 7.2 s later", map[string]string{
		"batch-x1 ready":     "0/3,1/3,2/3,0/3",
		"batch-x1 statuses":  "Init:0/1,PodInitializing,Error,NotReady,Completed",
		"batch-x1/app lines": "9.20 1 works",
		"batch-x1/app":       "terminated ready=false restarts=1 [2.00-2.00 1 Error oom=false] [9.20-10.00 0 Completed oom=false]",
	}},
	{"restart less", "run 1 of bare/crash goes on, and is not restarted", map[string]string{
		"bare ready":       "0/1,1/1",
		"bare statuses":    "PodInitializing,Running",
		"bare/crash lines": "6.00 0 again",
		"bare/crash":       "running ready=true restarts=0 [2.20]",
	}},
	{"pod started again", "all containers of bare are killed 8.1 s after the begin and start again, as its sandbox is gone", map[string]string{
		"bare ready":    "0/1,1/1,0/1,1/1,0/1,1/1",
		"bare statuses": "PodInitializing,Running,OOMKilled,Error",
		"bare spec":     "n 10.244.99.98 u2",
		"bare/crash":    "running ready=true restarts=2 [2.20-4.20 137 OOMKilled oom=true] [5.20-8.10 137 Error oom=false] [9.10]",
		"events":        "Scheduled SandboxChanged ",
	}},
	{"pod replaced", "bare is deleted 8.1 s after the begin, and another pod with another UID takes its place", map[string]string{
		"bare ready":       "0/1,1/1",
		"bare statuses":    "PodInitializing,Running",
		"bare spec":        "n 10.244.99.98 u2-other",
		"bare/crash lines": "",
		"bare/crash":       "running ready=true restarts=0 [9.10]",
	}},
	{"never started", "batch-x1/proxy does not start", map[string]string{
		"batch-x1 conditions":  "map[ContainersReady:False Initialized:False Ready:False]",
		"batch-x1 ready":       "0/3",
		"batch-x1 statuses":    "Init:0/1",
		"batch-x1":             "Pending Init:0/1 0/3",
		"batch-x1/app lines":   "",
		"batch-x1/app":         "waiting ready=false restarts=0",
		"batch-x1/helper":      "waiting ready=false restarts=0",
		"batch-x1/proxy lines": "",
		"batch-x1/proxy":       "waiting ready=false restarts=0",
		"job batch":            "1 0 0 map[]",
	}},
	{"never started", "run 1 of bare/crash does not start", map[string]string{
		"bare conditions":  "map[ContainersReady:False Initialized:True Ready:False]",
		"bare ready":       "0/1",
		"bare statuses":    "PodInitializing",
		"bare":             "Pending PodInitializing 0/1",
		"bare/crash lines": "",
		"bare/crash":       "waiting ready=false restarts=0",
	}},
	{"never ended", "batch-x1/proxy does not end", map[string]string{
		"batch-x1 ready": "0/3,1/3,3/3,2/3,1/3",
		"batch-x1":       "Running Completed 1/3",
		"batch-x1/proxy": "running ready=true restarts=0 [1.00]",
		"job batch":      "1 0 0 map[]",
	}},
	{"never ended", "run 1 of bare/crash does not end", map[string]string{
		"bare ready":       "0/1,1/1",
		"bare statuses":    "PodInitializing,Running",
		"bare/crash lines": "",
		"bare/crash":       "running ready=true restarts=0 [2.20]",
	}},
	{"ended", "run 2 of bare/crash ends with 0 5.9 s after its start", map[string]string{
		"bare conditions": "map[ContainersReady:False Initialized:True Ready:False]",
		"bare ready":      "0/1,1/1,0/1,1/1,0/1",
		"bare statuses":   "PodInitializing,Running,OOMKilled,Completed",
		"bare":            "Succeeded Completed 0/1",
		"bare/crash":      "terminated ready=false restarts=1 [2.20-4.20 137 OOMKilled oom=true] [5.20-11.10 0 Completed oom=false]",
	}},
	{"containers exchanged", "batch-x1/app does what batch-x1/helper did, and vice versa", map[string]string{
		"batch-x1/app lines":    "",
		"batch-x1/app":          "terminated ready=false restarts=0 [2.50-14.00 0 Completed oom=false]",
		"batch-x1/helper lines": "3.00 0 works",
		"batch-x1/helper":       "terminated ready=false restarts=0 [2.00-10.00 0 Completed oom=false]",
	}},
	{"readiness", "batch-x1/proxy is never ready", map[string]string{
		"batch-x1 ready": "0/3,2/3,1/3,0/3",
	}},
	{"readiness", "batch-x1/proxy stops being ready one second after it became ready", map[string]string{
		"batch-x1 ready": "0/3,1/3,0/3,2/3,1/3,0/3",
	}},
	{"readiness", "batch-x1/proxy does not pass its startup probe", map[string]string{
		"batch-x1 ready":     "0/3",
		"batch-x1 statuses":  "Init:0/1,PodInitializing",
		"batch-x1":           "Pending PodInitializing 0/3",
		"batch-x1/app lines": "",
		"batch-x1/app":       "waiting ready=false restarts=0",
		"batch-x1/helper":    "waiting ready=false restarts=0",
		"job batch":          "1 0 0 map[]",
	}},
	{"line missing", "batch-x1/proxy does not write \"serves\"", map[string]string{
		"batch-x1/proxy lines": "",
	}},
	{"line moved", "batch-x1/proxy writes \"serves\" 2 s later", map[string]string{
		"batch-x1/proxy lines": "3.10 0 serves",
	}},
	{"line more", "batch-x1/app writes \"elsewhere\" once more", map[string]string{
		"batch-x1/app lines": "3.00 0 works, 6.00 0 elsewhere",
	}},
	{"STATUS missing", "STATUS NotReady of batch-x1 is not seen", map[string]string{
		"batch-x1 ready":    "0/3,1/3,3/3,0/3",
		"batch-x1 statuses": "Init:0/1,PodInitializing,Running,Completed",
	}},
	{"STATUS more", "batch-x1/app is ErrImagePull before it starts", map[string]string{
		"batch-x1 statuses": "Init:0/1,PodInitializing,ErrImagePull,Running,NotReady,Completed",
	}},
	{"condition", "condition ContainersReady of Pod batch-x1 is not there", map[string]string{
		"batch-x1 conditions": "map[Initialized:True Ready:False]",
	}},
	{"condition", "condition Initialized of Pod batch-x1 is the opposite", map[string]string{
		"batch-x1 conditions": "map[ContainersReady:False Initialized:False Ready:False]",
		"batch-x1 statuses":   "PodInitializing,Running,NotReady,Init:Error",
		"batch-x1":            "Succeeded Init:Error 0/3",
	}},
	{"phase", "batch-x1 is Pending instead of Running", map[string]string{
		"batch-x1 statuses": "Init:0/1,PodInitializing,Pending,NotReady,Completed",
	}},
	{"field of a pod", "batch-x1 is on no node", map[string]string{
		"batch-x1 spec": "  u1",
	}},
	{"image", "batch-x1/proxy has another image", map[string]string{
		"batch-x1/proxy spec": "sidecar example.com/other:1",
	}},
	{"kind of a container", "batch-x1/app is of the kind sidecar", map[string]string{
		"batch-x1 statuses": "Init:0/2,PodInitializing,Running,Completed",
		"batch-x1/app spec": "sidecar i:1",
	}},
	{"pod missing", "the pod bare is never seen", map[string]string{
		"bare conditions":  "-",
		"bare ready":       "-",
		"bare spec":        "-",
		"bare statuses":    "-",
		"bare":             "-",
		"bare/crash lines": "-",
		"bare/crash spec":  "-",
		"bare/crash":       "-",
		"events":           "-",
	}},
	{"pod more", "there is one more pod as batch-x1", map[string]string{
		"batch-x1-more conditions":  "map[ContainersReady:False Initialized:True Ready:False]",
		"batch-x1-more ready":       "0/3,1/3,3/3,2/3,0/3",
		"batch-x1-more spec":        "n 10.0.0.1 u1-more",
		"batch-x1-more statuses":    "Init:0/1,PodInitializing,Running,NotReady,Completed",
		"batch-x1-more":             "Succeeded Completed 0/3",
		"batch-x1-more/app lines":   "4.00 0 works",
		"batch-x1-more/app spec":    "main i:1",
		"batch-x1-more/app":         "terminated ready=false restarts=0 [3.00-11.00 0 Completed oom=false]",
		"batch-x1-more/helper spec": "main i:1",
		"batch-x1-more/helper":      "terminated ready=false restarts=0 [3.50-15.00 0 Completed oom=false]",
		"batch-x1-more/proxy lines": "2.10 0 serves",
		"batch-x1-more/proxy spec":  "sidecar i:1",
		"batch-x1-more/proxy":       "terminated ready=false restarts=0 [2.00-17.00 137 Error oom=false]",
	}},
	{"container missing", "batch-x1/helper is not in the pod's spec", map[string]string{
		"batch-x1 ready":        "0/2,1/2,2/2,1/2,0/2",
		"batch-x1 statuses":     "Init:0/1,PodInitializing,Running,Completed",
		"batch-x1":              "Succeeded Completed 0/2",
		"batch-x1/helper lines": "-",
		"batch-x1/helper spec":  "-",
		"batch-x1/helper":       "-",
	}},
	{"Job does not end", "the Job batch never ends", map[string]string{
		"job batch": "1 0 0 map[]",
	}},
	{"Job ends otherwise", "the Job batch ends in the opposite way, and so does its newest pod", map[string]string{
		"batch-x1 statuses": "Init:0/1,PodInitializing,Running,Error",
		"batch-x1":          "Failed Error 0/3",
		"batch-x1/app":      "terminated ready=false restarts=0 [2.00-10.00 1 Error oom=false]",
		"batch-x1/helper":   "terminated ready=false restarts=0 [2.50-14.00 1 Error oom=false]",
		"job batch":         "0 0 1 map[Failed:True]",
	}},
	{"rejection missing", "apply \"strict\" is accepted", map[string]string{
		"step strict": "0.05 \"\" [] \"\" 0",
	}},
	{"rejection other", "apply \"strict\" is rejected for another reason", map[string]string{
		"step strict": "0.05 \"admission webhook \\\"policy.example.com\\\" denied the request: not allowed here\" [] \"\" 0",
	}},
	{"rejection more", "apply \"all\" is rejected", map[string]string{
		"job batch": "-",
		"step all":  "0.20 \"admission webhook \\\"policy.example.com\\\" denied the request: not allowed here\" [\"unknown field \\\"y\\\"\"] \"\" 0",
	}},
	{"warning", "apply \"all\" gets no warning \"unknown field \\\"y\\\"\"", map[string]string{
		"step all": "0.20 \"\" [] \"\" 0",
	}},
	{"warning", "apply \"all\" gets another warning", map[string]string{
		"step all": "0.20 \"\" [\"unknown field \\\"spec.other\\\"\"] \"\" 0",
	}},
	{"output of a command", "exec \"look\" ends with another exit code", map[string]string{
		"step look": "3.50 \"\" [] \"hello\\n\" 1",
	}},
	{"output of a command", "exec \"look\" writes something else", map[string]string{
		"step look": "3.50 \"\" [] \"something else\\n\" 0",
	}},
	{"field of an object", "ConfigMap settings has another value at data/a", map[string]string{
		"object settings": "{\"data\":{\"a\":\"b-other\"},\"kind\":\"ConfigMap\",\"spec\":{\"list\":[\"x\"],\"on\":true,\"replicas\":2}}",
	}},
	{"field of an object", "ConfigMap settings has nothing at data/a", map[string]string{
		"object settings": "{\"data\":{},\"kind\":\"ConfigMap\",\"spec\":{\"list\":[\"x\"],\"on\":true,\"replicas\":2}}",
	}},
	{"object missing", "the ConfigMap settings is never seen", map[string]string{
		"object settings": "-",
	}},
	{"event missing", "no event Scheduled of Pod bare: \"to n\"", map[string]string{
		"events": "-",
	}},
	{"event more", "an event Pulled of bare as in another run: \"image i:2\"", map[string]string{
		"events": "Scheduled Pulled ",
	}},
}
