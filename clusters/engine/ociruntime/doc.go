// Package ociruntime is an OCI runtime for hosts that do not have every
// capability: it takes out of a container's specification what this host
// cannot give, and then becomes runc.
//
// A container engine asks for all capabilities when a container is started
// with --privileged, and when a command is run in one with exec --privileged.
// Where the host's bounding set misses one of them, which is usual where the
// host is itself a sandbox, runc answers "unable to apply caps: operation not
// permitted" and nothing starts. Kind needs both kinds of privilege.
//
// What is taken out, and nothing else is changed:
//
//   - capabilities that are not in the bounding set of the calling process;
//   - where CAP_SYS_RESOURCE is missing, an oom_score_adj lower than the
//     kernel lets this process set becomes the lowest that it does let;
//   - where CAP_SYS_RESOURCE is missing, resource limits above this
//     process's hard limits become those hard limits.
//
// The engine calls a runtime by its path alone, so that the same executable
// serves as the command line tool and as the runtime: the name under which it
// is called decides (see IsInvocation).
package ociruntime
