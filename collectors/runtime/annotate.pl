# Adds to containerd's events what the node knows of their containers.
#
#   perl -e ANNOTATE COMMAND...
#
# COMMAND is what prints the events, as `ctr events` does. They are passed on as
# they come, in their order, and the exit code is that of the command. Without a
# command nothing is done: that shows whether this perl can run the program.
#
# Lines of our own come first, and right before the event that they are about:
#
#   TIME lab /lab/annotates {}
#       Lines such as the following come in this stream.
#   TIME k8s.io /lab/container {"id":ID,"pod":POD,"namespace":NS,"uid":UID,"container":NAME}
#   TIME k8s.io /lab/container {"id":ID,"sandbox":true}
#       Whose container it is, before the creation of its task. It is read from the
#       annotations in its bundle. If that is not possible yet, the line comes before
#       the start of the task; if it is not possible then either, there is no line.
#   TIME k8s.io /lab/kernel {"id":ID,"oom":BOOL}
#       Whether the kernel's log says that it killed in the container because memory
#       ran out, before an exit by SIGKILL. There is no line if the log cannot be read.
use strict;
use warnings;
use Fcntl;

my $root   = '/run/containerd/io.containerd.runtime.v2.task/k8s.io';    # bundles, if no event says where
my $most   = 4 << 20;    # bytes of a config.json that is read, and of a line that is held until its end
my $widest = 4096;       # bytes of a line of our own
my $kept   = 1000;       # kills for memory, and bundles, that are remembered

exit 0 unless @ARGV;

# put writes all of a text at once: nothing waits in a buffer.
sub put {
    my ($text) = @_;
    while (length $text) {
        my $sent = syswrite(STDOUT, $text) // exit 1;
        substr($text, 0, $sent, '');
    }
}

# string takes a string of JSON at the position of a text, and returns it as it
# stands there, with its quotes. It goes from escape to escape, since a regular
# expression does not repeat a group without limit.
sub string {
    my ($text) = @_;
    $$text =~ /\G"/gc or return;
    my $from = pos($$text) - 1;
    while ($$text =~ /\G[^"\\]*+(?:\\.|("))/gcs) { return substr($$text, $from, pos($$text) - $from) if defined $1 }
    return;
}

# annotations are those of a config.json, names and values as they stand there. In
# a string a quote has a backslash before it, so no value looks like the beginning.
sub annotations {
    my ($text) = @_;
    my %found;
    $text =~ /(?<!\\)"annotations"\s*:\s*\{\s*/g or return;
    while (defined(my $name = string(\$text))) {
        $text =~ /\G\s*:\s*/gc or return;
        $found{$name} = string(\$text) // return;
        $text =~ /\G\s*,?\s*/gc;
    }
    return $text =~ /\G\}/gc ? \%found : undef;
}

# content is what is in a file, or nothing if it cannot be read or is too large.
sub content {
    my ($path) = @_;
    return unless -f $path && sysopen(my $file, $path, O_RDONLY);
    my $text = '';
    while (my $n = sysread($file, $text, 1 << 18, length $text)) { return if length $text > $most }
    return $text;
}

# owner says whose the container of an id is, or nothing.
sub owner {
    my ($id, $bundle) = @_;
    my $found = annotations(content("$bundle/config.json") // return) // return;
    my ($type, @whose) = map { $found->{"\"io.kubernetes.cri.$_\""} } qw(container-type sandbox-name sandbox-namespace sandbox-uid container-name);
    return unless defined $type;
    return "{\"id\":\"$id\",\"sandbox\":true}" if $type eq '"sandbox"';
    return if $type ne '"container"' || grep { !defined } @whose;
    return sprintf '{"id":"%s","pod":%s,"namespace":%s,"uid":%s,"container":%s}', $id, @whose;
}

# The kernel's log, which a look reads from where the last one ended. Where a node
# has no such log another device may have its name, so it counts from its first
# record on.
my ($log, $logs, @killed);
undef $log unless sysopen($log, '/dev/kmsg', O_RDONLY | O_NONBLOCK);

# killed says whether the kernel killed in the container of an id because memory
# ran out, or nothing if its log cannot be read.
sub killed {
    my ($id) = @_;
    return unless $log;
    for (1 .. 100_000) {
        my $n = sysread($log, my $record, 16 << 10);
        next if !defined $n && $!{EPIPE};    # the oldest were overwritten: the next read has what is left
        last unless $n;
        $logs ||= $record =~ /^\d+,\d+,\d+,/;
        push @killed, $record =~ /oom-kill:.*?task_memcg=([^,\n]*)/g;
    }
    return unless $logs;
    splice @killed, 0, -$kept if @killed > $kept;
    return sprintf '{"id":"%s","oom":%s}', $id, (grep { index($_, $id) >= 0 } @killed) ? 'true' : 'false';
}

my %bundles;    # of the containers that could not be named when they were created; '' of those that could

# note is the line of our own before an event, or nothing.
sub note {
    my ($head, $kind, $event) = @_;
    my ($id) = $event =~ /"container_id":"([A-Za-z0-9][\w.-]*)"/ or return;
    if ($kind eq 'exit') {
        return unless $event =~ /"exit_status":137\b/ && $event =~ /"id":"\Q$id\E"/;
        my $what = killed($id) // return;
        return "$head /lab/kernel $what";
    }
    my $bundle = delete $bundles{$id};
    if ($kind eq 'create') {
        %bundles = () if keys %bundles >= $kept;
        $bundle = $event =~ m{"bundle":"(/[^"\\]*)"} ? $1 : undef;
    }
    $bundle //= "$root/$id";
    return if $bundle eq '';
    my $whose = owner($id, $bundle);
    $bundles{$id} = defined $whose ? '' : $bundle if $kind eq 'create';
    return defined $whose ? "$head /lab/container $whose" : undef;
}

# pass passes a line on, with what is to be said before it. Nothing that is in the
# line or in a bundle may end the stream.
sub pass {
    my ($line) = @_;
    my ($head, $kind, $event) = $line =~ m{^((?:[^ ]+ ){4}k8s\.io) /tasks/(create|start|exit) (.*)};
    my $note = $head && eval { note($head, $kind, $event) };
    $line = "$note\n$line" if $note && length $note <= $widest && $note !~ /[\x00-\x1f]/;
    put($line);
}

open(my $events, '-|', @ARGV) or exit 1;
open STDIN, '<', '/dev/null';
my ($second, $minute, $hour, $day, $month, $year) = gmtime;
put(sprintf "%04d-%02d-%02d %02d:%02d:%02d +0000 UTC lab /lab/annotates {}\n", $year + 1900, $month + 1, $day, $hour, $minute, $second);
my $held = '';
while (1) {
    my $n = sysread($events, $held, 1 << 16, length $held);
    next if !defined $n && $!{EINTR};
    last unless $n;
    pass(substr $held, 0, index($held, "\n") + 1, '') while index($held, "\n") >= 0;
    put(substr $held, 0, length $held, '') if length $held > $most;
}
put($held);
close $events;
exit($? & 127 ? 128 + ($? & 127) : $? >> 8);
