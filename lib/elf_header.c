// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf_header.h"

#include <elf.h>
#include <string.h>

#include "bytes.h"
#include "error.h"

/* A bound against hostile headers. A VM with memory hotplug has a few
 * hundred; paging mode (-p) writes one per mapping, tens of thousands. */
#define MAX_PHNUM	(1u << 20)

static enum krel_status bad(const struct krel_file *f,
			    struct krel_error *err, const char *what)
{
	return krel_error_set(err, KREL_CORRUPT, "%s: ELF core: %s",
			      f->path, what);
}

size_t krel_elf_phdr_size(const struct krel_elf_header *h)
{
	return h->is64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
}

/* PN_XNUM: 65535 or more headers; the number is in section 0's sh_info. */
static enum krel_status read_xnum(struct krel_file *f, struct krel_elf_header *h,
				  struct krel_error *err)
{
	size_t at = h->is64 ? 44 : 28;
	uint8_t info[4];
	enum krel_status st;

	if (h->shoff == 0 || h->shoff > UINT64_MAX - at)
		return bad(f, err,
			"expected section header 0 with the number of program headers (PN_XNUM), found none");
	st = krel_file_read(f, h->shoff + at, info, sizeof(info), err);
	if (st == KREL_OK)
		h->phnum = krel_le32(info);
	return st;
}

static enum krel_status read_header(struct krel_file *f, struct krel_elf_header *h,
				    struct krel_error *err)
{
	uint8_t e[sizeof(Elf64_Ehdr)] = { 0 };
	size_t want = sizeof(Elf32_Ehdr);
	enum krel_status st;

	if (f->size < EI_NIDENT)
		return KREL_NOT_MINE;
	st = krel_file_read(f, 0, e, EI_NIDENT, err);
	if (st != KREL_OK)
		return st;
	if (memcmp(e, ELFMAG, SELFMAG) != 0)
		return KREL_NOT_MINE;
	if (e[EI_DATA] != ELFDATA2LSB)
		return krel_error_set(err, KREL_UNSUPPORTED,
			"%s: expected a little-endian x86 core, found another byte order",
			f->path);
	if (e[EI_CLASS] != ELFCLASS32 && e[EI_CLASS] != ELFCLASS64)
		return bad(f, err, "expected class 32 or 64, found neither");
	h->is64 = e[EI_CLASS] == ELFCLASS64;
	if (h->is64)
		want = sizeof(Elf64_Ehdr);
	st = krel_file_read(f, 0, e, want, err);
	if (st != KREL_OK)
		return st;

	h->machine = krel_le16(e + 18);
	h->phoff = h->is64 ? krel_le64(e + 32) : krel_le32(e + 28);
	h->shoff = h->is64 ? krel_le64(e + 40) : krel_le32(e + 32);
	h->phentsize = krel_le16(e + (h->is64 ? 54 : 42));
	h->phnum = krel_le16(e + (h->is64 ? 56 : 44));
	if (krel_le16(e + 16) != ET_CORE)
		return krel_error_set(err, KREL_UNSUPPORTED,
			"%s: expected a core (ET_CORE), found an ELF file of type %u: is this the vmlinux? It goes with -s",
			f->path, krel_le16(e + 16));
	if (h->phnum == PN_XNUM)
		return read_xnum(f, h, err);
	return KREL_OK;
}

static enum krel_status check_header(struct krel_file *f,
				     const struct krel_elf_header *h,
				     enum krel_arch *arch,
				     struct krel_error *err)
{
	size_t least = krel_elf_phdr_size(h);

	if (h->machine == EM_X86_64)
		*arch = KREL_ARCH_X86_64;
	else if (h->machine == EM_386)
		*arch = KREL_ARCH_I386;
	else
		return krel_error_set(err, KREL_UNSUPPORTED,
			"%s: expected a core of x86 (EM_386 or EM_X86_64), found machine %u",
			f->path, h->machine);
	if (h->phnum == 0 || h->phnum > MAX_PHNUM)
		return krel_error_set(err, KREL_CORRUPT,
			"%s: ELF core: expected 1 to %u program headers, found %u",
			f->path, MAX_PHNUM, h->phnum);
	/* e_ehsize is not looked at: QEMU may leave 8 there. */
	if (h->phentsize != least)
		return krel_error_set(err, KREL_CORRUPT,
			"%s: ELF core: expected program headers of %zu bytes, found %u",
			f->path, least, h->phentsize);
	if (!krel_in_bounds(h->phoff, (uint64_t)h->phnum * least,
			    f->size))
		return krel_error_set(err, KREL_UNREADABLE,
			"%s: ELF core: file ends at 0x%llx, inside its program headers: it is cut off",
			f->path,
			(unsigned long long)f->size);
	return KREL_OK;
}

void krel_elf_phdr(const uint8_t *p, bool is64, uint32_t *type,
		   struct krel_segment *s)
{
	*type = krel_le32(p);
	if (is64)
		*s = (struct krel_segment){
			.offset = krel_le64(p + 8),
			.va = krel_le64(p + 16),
			.pa = krel_le64(p + 24),
			.filesz = krel_le64(p + 32),
			.memsz = krel_le64(p + 40),
		};
	else
		*s = (struct krel_segment){
			.offset = krel_le32(p + 4),
			.va = krel_le32(p + 8),
			.pa = krel_le32(p + 12),
			.filesz = krel_le32(p + 16),
			.memsz = krel_le32(p + 20),
		};
}

enum krel_status krel_elf_header_read(struct krel_file *f,
				      struct krel_elf_header *out,
				      enum krel_arch *arch,
				      struct krel_error *err)
{
	struct krel_elf_header h = { 0 };
	enum krel_status st = read_header(f, &h, err);

	if (st == KREL_OK)
		st = check_header(f, &h, arch, err);
	if (st == KREL_OK)
		*out = h;
	return st;
}
