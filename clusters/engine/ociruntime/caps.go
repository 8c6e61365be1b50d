package ociruntime

import (
	"bufio"
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// capabilityNames lists the capabilities by their number, after
// include/uapi/linux/capability.h of Linux 6.12.
var capabilityNames = [...]string{
	"CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_DAC_READ_SEARCH", "CAP_FOWNER", "CAP_FSETID",
	"CAP_KILL", "CAP_SETGID", "CAP_SETUID", "CAP_SETPCAP", "CAP_LINUX_IMMUTABLE",
	"CAP_NET_BIND_SERVICE", "CAP_NET_BROADCAST", "CAP_NET_ADMIN", "CAP_NET_RAW", "CAP_IPC_LOCK",
	"CAP_IPC_OWNER", "CAP_SYS_MODULE", "CAP_SYS_RAWIO", "CAP_SYS_CHROOT", "CAP_SYS_PTRACE",
	"CAP_SYS_PACCT", "CAP_SYS_ADMIN", "CAP_SYS_BOOT", "CAP_SYS_NICE", "CAP_SYS_RESOURCE",
	"CAP_SYS_TIME", "CAP_SYS_TTY_CONFIG", "CAP_MKNOD", "CAP_LEASE", "CAP_AUDIT_WRITE",
	"CAP_AUDIT_CONTROL", "CAP_SETFCAP", "CAP_MAC_OVERRIDE", "CAP_MAC_ADMIN", "CAP_SYSLOG",
	"CAP_WAKE_ALARM", "CAP_BLOCK_SUSPEND", "CAP_AUDIT_READ", "CAP_PERFMON", "CAP_BPF",
	"CAP_CHECKPOINT_RESTORE",
}

const sysResource = "CAP_SYS_RESOURCE"

// Bounding is a set of capabilities, bit n standing for number n, as
// /proc/PID/status shows it.
type Bounding uint64

// ParseBounding reads the bounding set (the line CapBnd) out of the text of a
// /proc/PID/status.
func ParseBounding(status []byte) (Bounding, error) {
	lines := bufio.NewScanner(bytes.NewReader(status))
	for lines.Scan() {
		value, ok := strings.CutPrefix(lines.Text(), "CapBnd:")
		if !ok {
			continue
		}
		bits, err := strconv.ParseUint(strings.TrimSpace(value), 16, 64)
		if err != nil {
			return 0, fmt.Errorf("reading the capability bounding set: %w", err)
		}
		return Bounding(bits), nil
	}
	return 0, fmt.Errorf("reading the capability bounding set: no line CapBnd among %d bytes", len(status))
}

// Has says whether the capability, named as in capabilities(7), is available.
// A name that is not known counts as available: judging it is the runtime's
// work.
func (b Bounding) Has(name string) bool {
	for number, known := range capabilityNames {
		if known == name {
			return b&(1<<number) != 0
		}
	}
	return true
}

// Missing names the capabilities that are not in the set, in the order of
// their numbers, up to the number last, the kernel's
// /proc/sys/kernel/cap_last_cap.
func (b Bounding) Missing(last int) []string {
	var missing []string
	for number, name := range capabilityNames {
		if number <= last && b&(1<<number) == 0 {
			missing = append(missing, name)
		}
	}
	return missing
}
