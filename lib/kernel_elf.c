// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vmlinux through libelf: its symbol table, its .notes and single words of
 * its sections. DWARF is never touched.
 */
#include <elf.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bytes.h"
#include "error.h"
#include "kernel_priv.h"
#include "notes.h"

#define NT_GNU_BUILD_ID_	3u
#define NOTES_MAX		(1u << 20)

struct vmlinux {
	Elf *elf;
	Elf_Data *symtab, *strtab;
	size_t nr_syms, first_global;
};

/* Symbols [from, to) of the table; false when @fn ended the walk. */
static bool each_in(const struct vmlinux *v, size_t from, size_t to,
		    krel_symbol_fn *fn, void *arg)
{
	const char *names = v->strtab->d_buf;
	GElf_Sym sym;

	for (size_t i = from; i < to; i++) {
		const char *name;
		size_t room;

		if (!gelf_getsym(v->symtab, (int)i, &sym))
			return true;
		if (sym.st_shndx == SHN_UNDEF || sym.st_name == 0 ||
		    sym.st_name >= v->strtab->d_size ||
		    GELF_ST_TYPE(sym.st_info) == STT_SECTION ||
		    GELF_ST_TYPE(sym.st_info) == STT_FILE)
			continue;
		name = names + sym.st_name;
		room = v->strtab->d_size - sym.st_name;
		if (!fn(arg, name, strnlen(name, room), sym.st_value))
			return false;
	}
	return true;
}

/* Global symbols first: a driver may have a static one of the same name. */
static void vmlinux_each(const struct krel_kernel *k, krel_symbol_fn *fn,
			 void *arg)
{
	const struct vmlinux *v = k->priv;

	if (each_in(v, v->first_global, v->nr_syms, fn, arg))
		each_in(v, 0, v->first_global, fn, arg);
}

static enum krel_status vmlinux_read(const struct krel_kernel *k,
				     uint64_t link_va, void *buf, size_t len)
{
	const struct vmlinux *v = k->priv;
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(v->elf, scn))) {
		uint64_t at;

		if (!gelf_getshdr(scn, &sh) || !(sh.sh_flags & SHF_ALLOC) ||
		    sh.sh_type == SHT_NOBITS || link_va < sh.sh_addr ||
		    !krel_in_bounds(link_va - sh.sh_addr, len, sh.sh_size))
			continue;
		at = sh.sh_offset + (link_va - sh.sh_addr);
		if (pread(k->fd, buf, len, (off_t)at) != (ssize_t)len)
			return KREL_UNREADABLE;
		return KREL_OK;
	}
	return KREL_ABSENT;
}

static void vmlinux_close(struct krel_kernel *k)
{
	struct vmlinux *v = k->priv;

	if (!v)
		return;
	elf_end(v->elf);
	free(v);
}

static const struct krel_kernel_ops vmlinux_ops = {
	.each = vmlinux_each,
	.read = vmlinux_read,
	.close = vmlinux_close,
};

static enum krel_status check_ident(struct krel_kernel *k, Elf *elf,
				    struct krel_error *err)
{
	GElf_Ehdr eh;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &eh))
		return krel_error_set(err, KREL_NOT_MINE,
			"%s: expected a vmlinux (an ELF file), found something else%s",
			k->path,
			elf_kind(elf) == ELF_K_ELF ? " (damaged header)" : "");
	if (eh.e_type == ET_CORE)
		return krel_error_set(err, KREL_NOT_MINE,
			"%s: expected a vmlinux, found a core dump: give the dump without -s",
			k->path);
	if (eh.e_machine == EM_X86_64)
		k->target = krel_target_of(KREL_ARCH_X86_64);
	else if (eh.e_machine == EM_386)
		k->target = krel_target_of(KREL_ARCH_I386);
	else
		return krel_error_set(err, KREL_NOT_MINE,
			"%s: expected a vmlinux of x86, found ELF machine %u",
			k->path, eh.e_machine);
	return KREL_OK;
}

/* The section headers lie at the end: a file that lacks them was cut off. */
static bool is_cut(const struct krel_kernel *k, Elf *elf)
{
	struct stat sb;
	GElf_Ehdr eh;

	return gelf_getehdr(elf, &eh) && fstat(k->fd, &sb) == 0 &&
		!krel_in_bounds(eh.e_shoff,
				(uint64_t)eh.e_shnum * eh.e_shentsize,
				(uint64_t)sb.st_size);
}

static enum krel_status find_symtab(struct krel_kernel *k,
				    struct krel_error *err)
{
	struct vmlinux *v = k->priv;
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(v->elf, scn))) {
		Elf_Scn *str;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_SYMTAB ||
		    sh.sh_entsize == 0)
			continue;
		str = elf_getscn(v->elf, sh.sh_link);
		v->symtab = elf_getdata(scn, NULL);
		v->strtab = str ? elf_getdata(str, NULL) : NULL;
		if (!v->symtab || !v->strtab || !v->strtab->d_buf)
			return krel_error_set(err, KREL_CORRUPT,
				"%s: expected a readable symbol table, found it cut off: fetch the vmlinux again",
				k->path);
		v->nr_syms = (size_t)(sh.sh_size / sh.sh_entsize);
		/* ELF: sh_info is the index of the first that is not local. */
		v->first_global = sh.sh_info < v->nr_syms ? sh.sh_info : 0;
		return KREL_OK;
	}
	if (is_cut(k, v->elf))
		return krel_error_set(err, KREL_CORRUPT,
			"%s: expected a whole vmlinux, found it cut off: fetch it again",
			k->path);
	return krel_error_set(err, KREL_ABSENT,
		"%s: expected a vmlinux with symbols, found it stripped: take the one of the debug package",
		k->path);
}

/* On x86-32 PAGE_OFFSET is what p_vaddr and p_paddr differ by. */
static void find_map_base(struct krel_kernel *k)
{
	const struct vmlinux *v = k->priv;
	size_t nr = 0;
	GElf_Phdr ph;

	k->map_base = k->target->map_base;
	if (k->target->has_phys_base || elf_getphdrnum(v->elf, &nr) != 0)
		return;
	for (size_t i = 0; i < nr; i++)
		if (gelf_getphdr(v->elf, (int)i, &ph) &&
		    ph.p_type == PT_LOAD && ph.p_vaddr > ph.p_paddr) {
			k->map_base = ph.p_vaddr - ph.p_paddr;
			return;
		}
}

static void take_build_id(struct krel_kernel *k, const struct krel_note *n,
			  const uint8_t *buf, uint64_t notes_va)
{
	size_t whole = (size_t)(n->desc - (buf + n->offset)) + n->desc_len;

	if (n->desc_len == 0 || n->desc_len > KREL_BUILD_ID_MAX ||
	    whole > KREL_ID_NOTE_MAX)
		return;
	k->identity.build_id.len = (unsigned int)n->desc_len;
	memcpy(k->identity.build_id.byte, n->desc, n->desc_len);
	k->id_note.link_va = notes_va + n->offset;
	k->id_note.len = whole;
	memcpy(k->id_note.bytes, buf + n->offset, whole);
}

/* .notes is loaded with the kernel and never changes at run time. */
static void find_build_id(struct krel_kernel *k)
{
	uint64_t start, stop;
	struct krel_note n;
	size_t pos = 0, len;
	uint8_t *buf;

	if (!krel_kernel_sym(k, KREL_SYM_START_NOTES, &start) ||
	    !krel_kernel_sym(k, KREL_SYM_STOP_NOTES, &stop) ||
	    stop <= start || stop - start > NOTES_MAX)
		return;
	len = (size_t)(stop - start);
	buf = malloc(len);
	if (buf && krel_kernel_read(k, start, buf, len) == KREL_OK)
		while (krel_note_next(buf, len, &pos, &n) == KREL_OK)
			if (n.type == NT_GNU_BUILD_ID_ &&
			    krel_note_is(&n, "GNU"))
				take_build_id(k, &n, buf, start);
	free(buf);
}

static void find_banner(struct krel_kernel *k)
{
	char *banner = k->identity.banner;
	size_t size = sizeof(k->identity.banner);
	uint64_t va;

	if (!krel_kernel_sym(k, KREL_SYM_BANNER, &va))
		return;
	/* The array ends somewhere inside its section, maybe at its end. */
	while (size > 1 && krel_kernel_read(k, va, banner, size - 1) != KREL_OK)
		size--;
	banner[size - 1] = '\0';
	krel_banner_take(&k->identity);
}

static enum krel_status vmlinux_init(struct krel_kernel *k,
				     struct krel_error *err)
{
	struct vmlinux *v = calloc(1, sizeof(*v));
	enum krel_status st;

	if (!v)
		return krel_error_set(err, KREL_NOMEM, "out of memory");
	k->priv = v;
	if (elf_version(EV_CURRENT) == EV_NONE)
		return krel_error_set(err, KREL_UNSUPPORTED,
				      "libelf is too old");
	v->elf = elf_begin(k->fd, ELF_C_READ, NULL);
	if (!v->elf)
		return krel_error_set(err, KREL_NOT_MINE,
			"%s: expected a vmlinux: %s", k->path, elf_errmsg(-1));
	st = check_ident(k, v->elf, err);
	if (st == KREL_OK)
		st = find_symtab(k, err);
	if (st == KREL_OK)
		st = krel_kernel_resolve(k, err);
	if (st != KREL_OK)
		return st;
	find_map_base(k);
	find_build_id(k);
	find_banner(k);
	return KREL_OK;
}

enum krel_status krel_kernel_open(const char *path, struct krel_kernel **out,
				  struct krel_error *err)
{
	return krel_kernel_open_by(path, &vmlinux_ops, vmlinux_init, out, err);
}
