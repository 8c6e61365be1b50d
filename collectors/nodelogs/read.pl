# Reads the log files of the containers of one namespace as they grow, and
# writes what it reads to standard output until its standard input ends.
#
#   perl read.pl ROOT NAMESPACE
#
# Below ROOT lie NAMESPACE_POD_UID/CONTAINER/RUN.log, and beside it what was
# rotated: RUN.log.TIME, later RUN.log.TIME.gz. Each file is held open from the
# moment it is seen until it was read to its end, so neither a rename nor a
# removal loses what is in it. The files of a container are read one after the
# other, in the order in which they were written.
#
# Input, in lines:
#   K DIR RUN HEAD OFFSET  where an earlier reading of that container came to:
#                          HEAD is the first word of the file, its first time
#   B WALL MONO            what the last T of an earlier reading said
#   G                      go
#   S TOKEN                answer S TOKEN once all that is written now was sent
# Output, in lines:
#   R                      all files that were there are known
#   Q                      since B no container's files came or went unseen
#   N DIR RUN              that run has a file
#   F ID DIR RUN HEAD OFF  file ID is read from OFF on
#   D ID LENGTH            LENGTH bytes of file ID follow
#   M ID                   file ID was renamed: it was rotated
#   E ID                   nothing more comes of file ID
#   L DIR RUN              the file that K named is not there any more
#   X DIR                  the container's files are gone; they were read to their ends
#   V DIR RUN              a file went before it could be opened
#   W TEXT                 something that a person should know
#   T AGE WALL MONO        a second has gone by; the folders were looked at
#                          AGE seconds after the command began, when the node's
#                          clock said WALL and its uptime was MONO
#   S TOKEN
use strict;
use warnings;
use Errno;
use Fcntl;
use POSIX ();

my ($root, $namespace) = @ARGV;
my $poll   = 0.2;        # seconds between two looks at the folders
my $settle = 1;          # seconds for which a rotated file may still be written to
my $linger = 10;         # seconds for which it is looked at after that
my $chunk  = 128 << 10;  # bytes of one D
my $burst  = 1 << 20;    # bytes of one file before it is another one's turn
my $room   = 1 << 20;    # bytes that may wait for standard output

my ($out, $in, $going, $id, $scanned, $ticked, @tokens) = ('', '', 0, 0, 0, 0);
my (%known, %files, %chains, %vanished, %told, $before, $wall);
my $hertz = POSIX::sysconf(&POSIX::_SC_CLK_TCK);

sub now { return (POSIX::times())[0] / $hertz }
my $began = now();

# put sends, and waits where too much is on its way.
sub put {
    $out .= $_[0];
    drain($room) if length $out > $room;
}

# drain writes until at most so many bytes wait. The folders are looked at all
# the while.
sub drain {
    my ($limit) = @_;
    while (length $out > $limit) {
        my ($r, $w) = ('', '');
        vec($r, 0, 1) = vec($w, 1, 1) = 1;
        my $n = select($r, $w, undef, $poll);
        next if $n < 0;
        hear() if $n && vec($r, 0, 1);
        if ($n && vec($w, 1, 1)) {
            my $sent = syswrite(STDOUT, $out, 256 << 10);
            if (defined $sent) { substr($out, 0, $sent, '') }
            elsif (!$!{EAGAIN} && !$!{EINTR}) { exit 1 }
        }
        scan() if $going && now() - $scanned >= $poll;
    }
}

# hear takes what came on standard input.
sub hear {
    my $n = sysread(STDIN, $in, 64 << 10, length $in);
    return if !defined $n && ($!{EINTR} || $!{EAGAIN});
    exit 0 if !$n;
    while ($in =~ s/^([^\n]*)\n//) {
        my ($word, @rest) = split / /, $1;
        if    ($word eq 'K') { $known{$rest[0]} = { run => $rest[1], head => $rest[2], off => $rest[3] } }
        elsif ($word eq 'B') { $before = { wall => $rest[0], mono => $rest[1] } }
        elsif ($word eq 'G') { $going = 1 }
        elsif ($word eq 'S') { aim($rest[0]) }
    }
}

sub warning {
    my ($text) = @_;
    $text =~ s/\s+/ /g;
    $out .= "W $text\n" unless $told{$text}++;
}

# scan looks for files that came, went or were renamed. It does not drain.
sub scan {
    $wall    = time();
    $scanned = now();
    my %seen;
    if (opendir my $pods, $root) {
        for my $pod (grep { index($_, "${namespace}_") == 0 } readdir $pods) {
            opendir my $containers, "$root/$pod" or next;
            for my $name (grep { !/^\./ } readdir $containers) {
                # Again after a change, since a rename may fall into a listing.
                for (1 .. 3) { last unless list("$pod/$name", \%seen) }
            }
        }
    }
    for my $key (keys %vanished) {
        $out .= "V $vanished{$key}\n" unless $files{$key};
    }
    %vanished = ();
    for my $key (keys %files) {
        my $e = $files{$key};
        $e->{missing} = $seen{$key} ? 0 : $e->{missing} + 1;
        next unless $e->{done} && !$e->{fh} && $e->{missing} > 2;
        delete $files{$key};
        my $chain = $chains{$e->{dir}} or next;
        @$chain = grep { $_ != $e } @$chain;
        next if @$chain;
        delete $chains{$e->{dir}};
        $out .= "X $e->{dir}\n";
    }
}

# unchanged says whether nothing came or went between B and the last scan. What
# does changes its folder. That it was not changed is certain only where the
# node's clock was not set and the machine did not boot meanwhile; times are in
# whole seconds, so that a second more or less proves nothing. The folders of the
# containers that K names are left out: their files are known by their heads.
sub unchanged {
    return 0 if abs(($wall - $scanned) - ($before->{wall} - $before->{mono})) > 1.1;
    my @folders = ($root);
    opendir my $pods, $root or return 0;
    for my $pod (grep { index($_, "${namespace}_") == 0 } readdir $pods) {
        push @folders, "$root/$pod";
        opendir my $containers, "$root/$pod" or return 0;
        push @folders, map { "$root/$pod/$_" } grep { !/^\./ && !$known{"$pod/$_"} } readdir $containers;
    }
    for (@folders) {
        my @s = stat;
        return 0 if !@s || $s[10] > $before->{wall} - 4;
    }
    return 1;
}

# list looks at a container's folder and says whether it was not as before.
sub list {
    my ($dir, $seen) = @_;
    opendir my $d, "$root/$dir" or return 0;
    my $changed = 0;
    for my $name (readdir $d) {
        my ($run, $at, $gz) = $name =~ /^(\d{1,9})\.log(?:\.(\d{8}-\d{6})(\.gz)?)?$/ or next;
        my @s = lstat "$root/$dir/$name";
        if (!@s) { $changed = 1; next }
        next unless -f _;
        my $key = "$s[0]:$s[1]";
        $seen->{$key} = 1;
        my $e = $files{$key};
        # A file that is closed for good may have left its inode to another.
        if ($e && $e->{dir} eq $dir && ($e->{name} eq $name || $e->{fh} || !$e->{done})) {
            @$e{qw(size mtime)} = @s[7, 9];
            next if $e->{name} eq $name;
            $changed = 1;
            @$e{qw(name at)} = ($name, $at || '~');
            $out .= "M $e->{id}\n" if $e->{id};
            order($dir);
            next;
        }
        $changed = 1;
        add({ dir => $dir, name => $name, run => $run, at => $at || '~', gz => $gz, key => $key,
              size => $s[7], mtime => $s[9], off => 0, missing => 0 });
    }
    return $changed;
}

sub order {
    my $chain = $chains{$_[0]};
    @$chain = sort { $a->{run} <=> $b->{run} || $a->{at} cmp $b->{at} } @$chain;
}

# add takes a file that was not known.
sub add {
    my ($e) = @_;
    my $chain = $chains{$e->{dir}} ||= [];
    if ($e->{gz} && grep { $_->{run} == $e->{run} && $_->{at} eq $e->{at} } @$chain) {
        $e->{done} = 1;    # the plain file is read
        $files{$e->{key}} = $e;
        return;
    }
    if (!reach($e)) {
        $vanished{$e->{key}} = "$e->{dir} $e->{run}" if $!{ENOENT};
        return;
    }
    if ($e->{at} eq '~') {
        # What had the name before was renamed and went: its place is after
        # what was read, and before what was not known.
        my $last = (map { $_->{at} } grep { $_->{run} == $e->{run} && $_->{done} } @$chain)[-1] // '';
        for (grep { $_->{run} == $e->{run} && $_->{at} eq '~' } @$chain) { $_->{at} = $last . 'z' }
    }
    $out .= "N $e->{dir} $e->{run}\n";
    $files{$e->{key}} = $e;
    push @$chain, $e;
    order($e->{dir});
}

# reach opens a file. Where too many are open, those that rest are closed.
sub reach {
    my ($e) = @_;
    my $path = "$root/$e->{dir}/$e->{name}";
    for my $again (0, 1) {
        return 1 if open $e->{fh}, '<:raw', $path;
        delete $e->{fh};
        if (!$again && ($!{EMFILE} || $!{ENFILE})) {
            for my $other (values %files) {
                close delete $other->{fh} if $other->{fh} && !$other->{gz} && $other->{id} && $other->{off} >= $other->{size};
            }
            next;
        }
        warning("$path cannot be opened: $!") unless $!{ENOENT};
        return 0;
    }
}

# stamp makes a time of RFC 3339 comparable as text.
sub stamp {
    my ($second, $part) = $_[0] =~ /^([^.Z+]*)(?:\.(\d+))?/;
    return "$second." . substr(($part // '') . '0' x 9, 0, 9);
}

# begin says from where on a file is read. It is false while that is not known.
sub begin {
    my ($e) = @_;
    my $text = '';
    if ($e->{gz}) {
        my $pid = open(my $pipe, '-|') // do { warning("gzip cannot be started: $!"); return 0 };
        if (!$pid) {
            open STDIN, '<&', $e->{fh} or POSIX::_exit(1);
            exec 'gzip', '-dc' or POSIX::_exit(1);
        }
        binmode $pipe;
        $e->{pipe} = $pipe;
        while (length $text < 256) { sysread($pipe, $text, 256 - length $text, length $text) or last }
    } else {
        sysseek($e->{fh}, 0, 0);
        sysread($e->{fh}, $text, 256);
        sysseek($e->{fh}, 0, 0);
    }
    my ($head) = $text =~ /^(\S{1,64}) /;
    return 0 if !defined $head && !$e->{gz} && (!length $text || $e->{tries}++ < 5);
    $head //= '-';
    my $from = 0;
    if ($e->{gz} && grep { $_->{run} == $e->{run} && ($_->{head} // '') eq $head && $head ne '-' } @{ $chains{$e->{dir}} }) {
        $e->{done} = 1;    # it was read before it was compressed
        shut($e);
        return 0;
    }
    $e->{head} = $head;
    if (my $k = $known{$e->{dir}}) {
        my $same = $e->{run} == $k->{run};
        if ($e->{run} < $k->{run} || $same && $head ne $k->{head} && stamp($head) lt stamp($k->{head})) {
            $e->{done} = 1;
            shut($e);
            return 0;
        }
        if ($same && $head eq $k->{head}) { $from = $k->{off} }
        else                              { $out .= "L $e->{dir} $k->{run}\n" }
        delete $known{$e->{dir}};
    }
    $e->{id} = ++$id;
    put("F $e->{id} $e->{dir} $e->{run} $head $from\n");
    if ($e->{gz}) { $e->{ahead} = $text; $e->{skip} = $from }
    else          { sysseek($e->{fh}, $from, 0); $e->{off} = $from }
    return 1;
}

sub shut {
    my ($e) = @_;
    close delete $e->{pipe} if $e->{pipe};
    close delete $e->{fh} if $e->{fh};
    $out .= "E $e->{id}\n" if $e->{id};
}

# more sends what is new of a file, up to $burst bytes. It returns whether the
# file's end was reached.
sub more {
    my ($e) = @_;
    if (!$e->{fh}) {
        return 1 if $e->{size} <= $e->{off};
        reach($e) or return 1;
        sysseek($e->{fh}, $e->{off}, 0);
    }
    if (!$e->{id}) { begin($e) or return 1 }
    for (my $sum = 0 ; $sum < $burst ;) {
        my $text = delete $e->{ahead};
        if (!length($text // '')) {
            my $n = sysread($e->{pipe} || $e->{fh}, $text, $chunk);
            if (!defined $n) {
                next if $!{EINTR};
                warning("$root/$e->{dir}/$e->{name} cannot be read: $!");
            }
            return 1 if !$n;
        }
        if (my $skip = $e->{skip}) {
            $skip = length $text if $skip > length $text;
            $e->{skip} -= $skip;
            substr($text, 0, $skip, '');
        }
        $e->{off} += length $text;
        $sum += length $text;
        put("D $e->{id} " . length($text) . "\n$text") if length $text;
    }
    return 0;
}

# over says whether a file that was read to its end gets no more.
sub over {
    my ($e, $chain) = @_;
    return 1 if $e->{done} || $e->{gz};
    my ($next) = grep { $_->{run} > $e->{run} || $_->{run} == $e->{run} && $_->{at} gt $e->{at} } @$chain;
    return $e->{missing} > 2 if !$next;
    # Read once more, since the next file may have come after the end was seen.
    if (!defined $e->{followed}) { $e->{followed} = now(); return 0 }
    return 1 if $next->{run} > $e->{run};
    return now() - $e->{followed} >= $settle || time() - $e->{mtime} > 2;
}

# turn reads once from every container, and says whether there is more already.
sub turn {
    my $busy = 0;
    for my $dir (sort keys %chains) {
        my $chain = $chains{$dir} or next;
        for my $e (grep { $_->{done} && $_->{fh} } @$chain) {
            more($e);
            shut($e) if $e->{missing} > 2 || now() - $e->{over} > $linger;
        }
        while (my ($e) = grep { !$_->{done} } @$chain) {
            if (!more($e)) { $busy = 1; last }
            last unless over($e, $chain);
            next if $e->{done};
            $e->{done} = 1;
            $e->{over} = now();
            shut($e) if $e->{gz} || $e->{missing} > 2;
        }
    }
    return $busy;
}

# aim notes how far each file has to be read before the token is answered.
sub aim {
    push @tokens, $_[0];
    scan();
    for my $e (values %files) { $e->{goal} = $e->{fh} ? -s $e->{fh} : $e->{size} }
}

# reached answers the tokens once every file was read that far.
sub reached {
    return if !@tokens;
    for my $e (values %files) {
        next if $e->{done} || !defined $e->{goal};
        return if $e->{gz} || $e->{off} < $e->{goal};
    }
    put("S $_\n") for splice @tokens;
}

fcntl(STDOUT, F_SETFL, fcntl(STDOUT, F_GETFL, 0) | O_NONBLOCK);
binmode STDIN;
binmode STDOUT;
hear() until $going;
scan();
my $unchanged = $before && unchanged();
for my $dir (grep { !$chains{$_} } keys %known) {
    put("L $dir $known{$dir}{run}\n");
    delete $known{$dir};
}
put("R\n");
put("Q\n") if $unchanged;
while (1) {
    my $busy = turn();
    reached();
    if (now() - $ticked >= 1) { $ticked = now(); put(sprintf "T %.2f %d %.2f\n", $scanned - $began, $wall, $scanned) }
    drain(0);
    my $r = '';
    vec($r, 0, 1) = 1;
    hear() if select($r, undef, undef, $busy ? 0 : $poll) > 0;
    scan() if !$busy || now() - $scanned >= $poll;
}
