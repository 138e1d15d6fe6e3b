# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # the sourcing script has $mutate and tests/vm/arch.sh
#
# Copies of the tree, for builds of mutants. Each copy keeps its builds, so that only the mutant's
# file has to be compiled.

arches='x86_64 arm64 ppc64el'

# Warnings do not matter here: a mutant may leave variables unused.
build_flags=(guest_strictness= 'guest_cflags=-O2 -w')

tree_files() {
	git ls-files -c -o --exclude-standard -- module uapi examples libpfmdev tools tests \
		Makefile dkms.conf ':!tests/mutants' | LC_ALL=C sort
}

# Make TREE a copy of this tree.
tree_copy() {
	local tree=$1 file
	mkdir -p "$tree/base"
	tree_files >"$tree/base/files.new"
	if [[ -e $tree/base/files ]]; then
		LC_ALL=C comm -23 "$tree/base/files" "$tree/base/files.new" |
			(cd "$tree" && xargs -r -d '\n' rm -f)
	fi
	mv "$tree/base/files.new" "$tree/base/files"
	# Copy the files that differ. A copied file gets the current time as its modification time.
	# So make compiles it, even if the tree still has the object file of a mutant.
	while read -r file; do
		cmp -s "$file" "$tree/$file" && continue
		mkdir -p "$(dirname "$tree/$file")"
		cp --preserve=mode "$file" "$tree/$file"
	done <"$tree/base/files"
	rm -f "$tree/base/mutated"
	rm -rf "$tree/base/objects"
}

# build_guests TREE FLAG...: build TREE for all guests.
build_guests() {
	local tree=$1 arch
	shift
	for arch in $arches; do
		make -s -j"$(nproc)" -C "$tree" "guest-$arch" "$@" || return
	done
	make -s -j"$(nproc)" -C "$tree" guest-modules-x86_64 KERNEL=debug "$@"
}

# Make TREE a copy of this tree, and build it.
tree_update() {
	local tree=$1
	tree_copy "$tree"
	build_guests "$tree" "${build_flags[@]}" || return
	make -s -C "$tree/tests/unit" BUILD="$tree/build/unit" 'CFLAGS=-O2 -w' || return
	build_programs "$tree" && programs_state "$tree" >"$tree/base/programs"
}

# Make TREE a copy of this tree whose modules record which of their functions are called. Build it.
# The option -finstrument-functions would also affect the kernel's inline functions; leave them out.
tree_instrument() {
	local tree=$1 cflags='-finstrument-functions -finstrument-functions-exclude-file-list='
	cflags+=include/linux,include/asm,include/generated,include/uapi
	tree_copy "$tree"
	rm -rf "$tree/module/reached"
	cp -r tests/mutants/reached "$tree/module/"
	echo 'obj-m += reached/' >>"$tree/module/Kbuild"
	build_guests "$tree" "guest_strictness=KCFLAGS='$cflags'" 'guest_cflags=-O2 -w'
}

tree_restore() {
	local tree=$1 file
	[[ -e $tree/base/mutated ]] || return 0
	file=$(<"$tree/base/mutated")
	cp "$file" "$tree/$file"
	rm "$tree/base/mutated"
}

# Put the mutant of LINE into TREE.
tree_mutate() {
	local tree=$1 file=$2 line=$3
	echo "$file" >"$tree/base/mutated"
	"$mutate" apply "$file" <<<"$line" >"$tree/$file"
}

# ---- which objects a file is part of ---------------------------------------------------------

# Print the paths of the notes on all objects of ARCH that depend on FILE. Kbuild writes a note
# (.NAME.o.cmd) for each object. An object depends on FILE if it is made from FILE itself, or from a
# source that includes FILE.
object_notes() {
	local tree=$1 arch=$2 file=$3 note
	local modules=$tree/build/$arch/module
	case $file in
	*.c)
		note=$tree/build/$arch/${file%/*}/.$(basename "$file" .c).o.cmd
		[[ ! -e $note ]] || echo "$note" ;;
	*)
		grep -rlF --include='.*.o.cmd' "/${file#module/} " "$modules" ;;
	esac
}

# The compiler's command for an object, from Kbuild's note on it.
object_command() {
	sed -n '1 { s/^[^=]*:= *//; s/ ;.*//; p }' "$1"
}

# The source file of an object, from Kbuild's note on it.
object_source() {
	sed -n 's/^source_.* := //p' "$1"
}

# Compile the object that NOTE describes, without debug information, and write it to the file TO.
object_compile() {
	local arch=$1 note=$2 to=$3 command headers
	mkdir -p "${to%/*}"
	headers=$(tests/vm/fetch headers "$arch")
	command=$(object_command "$note" |
		sed -e 's/-Wp,-MMD,[^ ]*//' -e 's/ -Werror / /' -e 's/ -c -o [^ ]*//')
	arch_names "$arch"
	(cd "$headers" && eval "$command -w -g0 -c -o $to.full") 2>"$to.errors" &&
		"$triplet-objcopy" --strip-unneeded "$to.full" "$to"
}

# From the unchanged source, compile the object that NOTE describes, unless that was done before.
# Print the object's path.
object_base() {
	local tree=$1 note=$2 arch=$3 base
	base=$tree/base/objects/$arch/${note##*/}
	[[ -e $base ]] || object_compile "$arch" "$note" "$base" || return
	echo "$base"
}

# ---- which objects change ------------------------------------------------------------------

build_programs() {
	make -s -C "$1/tools/pfmon" BUILD="$1/build/compare" 'CFLAGS=-O2 -w -g0'
}

programs_state() {
	local object copy=$1/base/stripped
	for object in "$1"/build/compare/obj/libpfmdev/*.o "$1/build/compare/bin/pfmon"; do
		objcopy --strip-unneeded "$object" "$copy" && sha256sum <"$copy"
	done
}

# Whether the mutant in FILE changes objects of ARCH. The status is 2 if an object cannot be
# compiled.
objects_differ() {
	local tree=$1 arch=$2 file=$3 note
	local -a notes
	mapfile -t notes < <(object_notes "$tree" "$arch" "$file")
	for note in "${notes[@]}"; do
		object_compile "$arch" "$note" "$tree/base/object" || return 2
		cmp -s "$tree/base/object" "$tree/base/objects/$arch/${note##*/}" || return 0
	done
	return 1
}

# From the unchanged sources, compile the objects of ARCH that depend on FILE, and store the
# objects.
keep_objects() {
	local tree=$1 arch=$2 file=$3 note
	while read -r note; do
		object_base "$tree" "$note" "$arch" >/dev/null || return
	done < <(object_notes "$tree" "$arch" "$file")
}

# Put the mutant of LINE into FILE of TREE. Succeeds if the mutant changes objects of ARCH. The
# status is 2 if an object cannot be compiled. TREE must have been built without the mutant.
mutant_differs() {
	local tree=$1 file=$2 line=$3 arch=$4
	tree_restore "$tree"
	keep_objects "$tree" "$arch" "$file" || return 2
	tree_mutate "$tree" "$file" "$line"
	objects_differ "$tree" "$arch" "$file"
}

# Print the architectures whose modules are changed by the mutant in FILE. Fails if an object cannot
# be compiled.
modules_affected() {
	local arch
	mutant_differs "$@" arm64
	case $? in
	# Most mutants that change the modules of arm64 also change those of the other
	# architectures. So assume this, and do not compile for the other architectures.
	0) echo "$arches" ;;
	1)
		for arch in ${arches/arm64/}; do
			mutant_differs "$@" "$arch"
			case $? in
			0) echo "$arch" ;;
			2) return 1 ;;
			esac
		done ;;
	2) return 1 ;;
	esac
}

programs_affected() {
	local tree=$1 file=$2 line=$3
	tree_mutate "$tree" "$file" "$line"
	build_programs "$tree" >"$tree/base/object.errors" 2>&1 || return
	programs_state "$tree" | cmp -s - "$tree/base/programs" || echo "host $arches"
}

affected() {
	if [[ $2 == module/* ]]; then
		modules_affected "$@"
	else
		programs_affected "$@"
	fi
}

# For guests of ARCH with KERNEL, build the modules if FILE belongs to the modules, else the
# programs. The examples and the modules for tests include only headers of the modules. So they are
# built if FILE is a header, and at the next build, in which the header is unchanged again.
tree_build() {
	local tree=$1 arch=$2 kernel=$3 file=$4 what=programs examples=()
	local changed=$tree/base/examples-$arch-$kernel
	case $file in
	module/*.h) what=modules; touch "$changed" ;;
	module/*) what=modules; rm "$changed" 2>/dev/null || examples=(guest_examples=) ;;
	esac
	make -s -C "$tree" "guest-$what-$arch" ${kernel:+KERNEL="$kernel"} "${build_flags[@]}" \
		"${examples[@]}"
}

# ---- flags for libclang ----------------------------------------------------------------------

# Print the compiler options that libclang needs. They are taken from a note of Kbuild, and their
# paths are changed so that they are valid in the current folder.
note_flags() {
	local tree=$1 arch=$2 note=$3 headers
	headers=$(tests/vm/fetch headers "$arch")
	arch_names "$arch"
	printf '%s\n' -w -target "$triplet"
	object_command "$note" | tr ' ' '\n' | tr -d "'" | awk '
		$0 == "-include" { print; getline; print }
		/^-[ID]/ || /^-std/ || $0 == "-nostdinc" || $0 == "-fshort-wchar"' |
		sed -e "s|^-I\./|-I$headers/|" -e "s|^\./|$headers/|" -e "s|$tree/build/$arch/||"
}

# Print all mutants of FILE. libclang parses FILE for the first architecture whose modules contain
# it.
list_module() {
	local tree=$1 file=$2 arch note source
	local -a flags
	for arch in $arches; do
		note=$(object_notes "$tree" "$arch" "$file" | head -1)
		[[ -n $note ]] || continue
		source=$(object_source "$note")
		mapfile -t flags < <(note_flags "$tree" "$arch" "$note")
		"$mutate" list "$file" "${source#"$tree/build/$arch/"}" -- "${flags[@]}"
		return
	done
}

list_program() {
	local file=$1 unit=$1
	if [[ $file == *.h ]]; then
		unit=$(git grep -lE "#include \"(.*/)?${file##*/}\"" -- "${file%/*}/*.c" | head -1)
	fi
	[[ -z $unit ]] || "$mutate" list "$file" "$unit" -- -w -std=gnu11 -D_GNU_SOURCE \
		'-DPFMON_VERSION="0"' -Iuapi -Ilibpfmdev/include
}

# Print the path of the list of FILE's mutants.
list_of() {
	echo "build/mutants/lists/${1//\//:}"
}

# Make the list of FILE's mutants, unless it is newer than FILE and perfmon-mutate.
make_list() {
	local tree=$1 file=$2 list
	list=$(list_of "$file")
	[[ ! $list -nt $file || ! $list -nt $mutate ]] || return 0
	mkdir -p "${list%/*}"
	if [[ $file == module/* ]]; then
		list_module "$tree" "$file"
	else
		list_program "$file"
	fi >"$list.new" && mv "$list.new" "$list"
}
