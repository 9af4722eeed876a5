/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libkrel: where does the kernel in this memory image really run?
 *
 * The only public header. A caller opens an image (a dump file, or memory
 * that it serves itself), optionally the kernel's vmlinux or System.map, and
 * asks krel_solve() for the relocation. The answer is a plain value: it holds
 * no pointers into the library except to constant strings, and needs no free.
 *
 * Words: a link-time address is one as in vmlinux; a run-time address is where
 * the kernel really ran; the virtual offset is run-time minus link-time,
 * signed. On x86-64, physical = run-time - __START_KERNEL_map + phys_base;
 * x86-32 has no phys_base: physical = run-time - PAGE_OFFSET.
 *
 * The library never prints, exits or longjmps, and holds no global state.
 */
#ifndef KREL_H
#define KREL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define KREL_VERSION "0.1.0"

/**
 * What became of a call. Different reasons are different answers: a caller
 * may go on after every one of them but KREL_NOMEM and KREL_INTERRUPTED.
 */
enum krel_status {
	KREL_OK = 0,
	KREL_ABSENT,		/* it is not there; a normal answer */
	KREL_FILTERED,		/* page left out of the dump on purpose */
	KREL_UNREADABLE,	/* I/O error, or cut off, or not mapped */
	KREL_CORRUPT,		/* the bytes break their own format */
	KREL_CONTRADICTS,	/* readable, but not what was claimed */
	KREL_NOT_MINE,		/* probing: another format */
	KREL_UNSUPPORTED,	/* recognised, but nothing here reads it */
	KREL_INVALID,		/* the caller's arguments make no sense */
	KREL_NOMEM,
	KREL_INTERRUPTED,	/* the caller's interrupt hook said stop */
};

/** One line of text for a person. The caller owns it; empty when unused. */
struct krel_error {
	char text[512];
};

enum krel_arch {
	KREL_ARCH_UNKNOWN = 0,
	KREL_ARCH_I386,
	KREL_ARCH_X86_64,
};

/** "x86-32", "x86-64" or "unknown"; a constant string. */
const char *krel_arch_name(enum krel_arch arch);

/* ------------------------------------------------------------- images */

/** Text or bytes that the caller holds; .text NULL: none given. */
struct krel_text {
	const char *text;
	size_t len;
};

/** An opened memory image. */
struct krel_image;

/** A piece of physical memory, in bytes; size 0 is never handed out. */
struct krel_range {
	uint64_t pa;
	uint64_t size;
};

/**
 * Open a dump file.
 *
 * @param path    The file; copied.
 * @param format  Reader to use ("elf", "kdump", "lime", "raw"), or NULL to look.
 *                "raw" also accepts a file without any magic.
 * @param out     Set on success; close with krel_image_close().
 * @return KREL_OK; KREL_UNREADABLE (no such file, a directory, I/O);
 *         KREL_NOT_MINE (no reader knows it); KREL_CORRUPT;
 *         KREL_UNSUPPORTED (known by name only); KREL_INVALID (no such
 *         format); KREL_NOMEM.
 */
enum krel_status krel_image_open(const char *path, const char *format,
				 struct krel_image **out,
				 struct krel_error *err);

/**
 * Open raw memory whose layout the caller knows. @map borrowed for the call:
 * "START-END@OFFSET" items, or the lines of /proc/iomem, of which "System RAM"
 * counts, or bare ranges "START-END"; hexadecimal, END inclusive. Without
 * offsets the file's size tells which of the known ways it holds that RAM.
 *
 * @return As krel_image_open(); KREL_INVALID: the map cannot be understood,
 *         or does not fit the file.
 */
enum krel_status krel_image_open_mapped(const char *path,
					const struct krel_text *map,
					struct krel_image **out,
					struct krel_error *err);

/** Close an image; NULL is accepted. */
void krel_image_close(struct krel_image *img);

/**
 * Read physical memory: all of it, or nothing.
 *
 * @param pa   Physical address in bytes, any alignment.
 * @param len  Bytes wanted; may cross pages.
 * @return KREL_OK; KREL_ABSENT (no such memory in the image); KREL_FILTERED;
 *         KREL_UNREADABLE; KREL_CORRUPT; KREL_INTERRUPTED; KREL_NOMEM.
 */
enum krel_status krel_image_read(struct krel_image *img, uint64_t pa,
				 void *buf, size_t len,
				 struct krel_error *err);

/** Bytes that were read from the underlying file so far. */
uint64_t krel_image_bytes_read(const struct krel_image *img);

/**
 * Memory that somebody else reads, such as a crash session.
 *
 * `read` has krel_image_read()'s contract. It must not longjmp. `next` gives
 * the first range of memory that ends above @pa, or KREL_ABSENT at the end;
 * ranges may be generous: a page inside that cannot be read is simply absent.
 */
struct krel_host_ops {
	enum krel_status (*read)(void *arg, uint64_t pa, void *buf, size_t len,
				 struct krel_error *err);
	enum krel_status (*next)(void *arg, uint64_t pa,
				 struct krel_range *out);
};

/** What the host knows besides memory; zero or NULL where it does not. */
struct krel_host_facts {
	/** For the report; copied. "" when there is no memory at all: then
	 * nothing is verified, and what is given is all there is. */
	const char *format;
	enum krel_arch arch;
	const char *vmcoreinfo;		/* the note's text; copied */
	size_t vmcoreinfo_len;
};

/** Make an image from a host; @ops and @arg must outlive it. */
enum krel_status krel_image_host(const struct krel_host_ops *ops, void *arg,
				 const struct krel_host_facts *facts,
				 struct krel_image **out,
				 struct krel_error *err);

/* ------------------------------------------------------------- kernels */

/** The link-time side: a vmlinux or a System.map. */
struct krel_kernel;

/**
 * Open a vmlinux (plain, .xz, .gz or .zst; found by content, not by name).
 * Its symbol table and notes are read, never its DWARF.
 *
 * @return KREL_OK; KREL_UNREADABLE; KREL_NOT_MINE (not an ELF kernel of x86);
 *         KREL_ABSENT (an ELF kernel without symbols); KREL_CORRUPT;
 *         KREL_NOMEM.
 */
enum krel_status krel_kernel_open(const char *path, struct krel_kernel **out,
				  struct krel_error *err);

/** Open a System.map (plain or compressed). Same contract. */
enum krel_status krel_kernel_open_map(const char *path,
				      struct krel_kernel **out,
				      struct krel_error *err);

/** Close a kernel; NULL is accepted. */
void krel_kernel_close(struct krel_kernel *k);

/* ------------------------------------------------------------- answers */

#define KREL_BUILD_ID_MAX	32	/* bytes; GNU ld writes 20 */
#define KREL_EVIDENCE_MAX	64
#define KREL_NOTE_MAX		8	/* warnings, and missing things */
#define KREL_NOTE_LEN		256
#define KREL_CPUS_MAX		4096	/* CPUs with registers kept */

struct krel_build_id {
	uint8_t byte[KREL_BUILD_ID_MAX];
	unsigned int len;		/* 0: unknown */
};

/** A 64-bit quantity that may be unknown. Zero is a value. */
struct krel_u64 {
	bool known;
	uint64_t v;
};

/** A signed quantity (an offset) that may be unknown. Zero is a value. */
struct krel_s64 {
	bool known;
	int64_t v;
};

/**
 * What one anchor said. `status` is KREL_OK when it made a claim; else why it
 * gave nothing: KREL_ABSENT, KREL_FILTERED, KREL_UNREADABLE, KREL_CORRUPT or
 * KREL_CONTRADICTS. A claim keeps its arithmetic:
 * virt_offset = run - link, and on x86-64 phys = run - map base + phys_base.
 */
struct krel_evidence {
	const char *anchor;		/* constant, e.g. "vmcoreinfo" */
	enum krel_status status;
	bool verified;			/* the image itself bears it out */
	struct krel_s64 virt_offset;
	struct krel_s64 phys_base;	/* x86-64 only */
	struct krel_u64 link, run, phys;
	char source[KREL_NOTE_LEN];	/* what was read, or what is missing */
};

enum krel_outcome {
	KREL_OUTCOME_NONE = 0,
	KREL_OUTCOME_SINGLE,	/* one anchor, nobody against */
	KREL_OUTCOME_AGREED,	/* two or more independent ones, all equal */
	KREL_OUTCOME_CONFLICT,	/* at least two claims differ */
};

enum krel_match {
	KREL_MATCH_NONE = 0,	/* not compared, or it differs */
	KREL_MATCH_BUILD_ID,
	KREL_MATCH_BANNER,	/* the whole "Linux version ..." line */
	KREL_MATCH_CONTENT,	/* System.map: several independent places */
};

/** How the image is paged; levels 0 where unknown. */
struct krel_paging_facts {
	unsigned int levels;
	bool pae;
	bool pti_known, pti;
};

/** Identity of a kernel, from the image or from a vmlinux. */
struct krel_identity {
	char release[96];		/* "6.1.0-50-amd64"; "" unknown */
	char banner[512];		/* one line, no newline; "" unknown */
	struct krel_build_id build_id;
};

/** The whole answer of one krel_solve(); about 32 KiB, no free needed. */
struct krel_result {
	enum krel_arch arch;
	char format[32];		/* "kdump-compressed", "ELF64", ... */
	char format_detail[64];		/* "zlib, flattened"; may be "" */
	unsigned int cpus;		/* 0 unknown */
	bool has_vmcoreinfo;		/* a note in the dump's own headers */
	uint64_t bytes_read;		/* of the dump's file, for this answer */

	struct krel_identity image;	/* the kernel in the image */
	struct krel_identity kernel;	/* the vmlinux or System.map */
	bool kernel_given;
	bool kernel_is_map;		/* a System.map */
	bool mismatch;			/* image is another build than vmlinux */
	enum krel_match match;

	struct krel_s64 virt_offset;
	bool virt_verified;
	struct krel_s64 phys_base;	/* x86-64 only */
	bool phys_verified;
	struct krel_u64 text_link, text_run, text_phys;	/* symbol _text */
	struct krel_paging_facts paging;
	enum krel_outcome outcome;
	/** "crashed" (it wrote its crash time), "running" (a CPU's registers
	 * are in the dump), or "unknown". A constant string, never NULL. */
	const char *state;

	unsigned int nr_evidence;
	struct krel_evidence evidence[KREL_EVIDENCE_MAX];
	unsigned int nr_warnings;
	char warning[KREL_NOTE_MAX][KREL_NOTE_LEN];
	unsigned int nr_missing;
	char missing[KREL_NOTE_MAX][KREL_NOTE_LEN];
};

/**
 * What the caller knows besides the image, borrowed for the call. Each is
 * evidence ("given: ...") that is verified like any other, and where it
 * contradicts another claim the answer is a conflict.
 */
struct krel_given {
	struct krel_s64 virt_offset;	/* bytes, run-time minus link-time */
	struct krel_s64 phys_base;	/* x86-64 only */
	struct krel_u64 cr3;		/* physical address of a root */
	unsigned int levels;		/* of that root; 0: try each */
	struct krel_text vmcoreinfo;	/* the text of a note */
	struct krel_text kallsyms;	/* as /proc/kallsyms */
	struct krel_text iomem;		/* as /proc/iomem */
	struct krel_text dmesg;		/* a log with an oops */
	struct krel_text boot_params;	/* bytes of that struct */
};

/** How krel_solve() goes about it; all zero is a good default. */
struct krel_options {
	bool all_anchors;	/* run also those that are not needed */
	const struct krel_given *given;	/* NULL: nothing */
	/** Polled during scans; true stops the run. May be NULL. */
	bool (*interrupted)(void *arg);
	void *interrupted_arg;
};

/**
 * Derive and verify the relocation.
 *
 * @param img      The image; must not be used by another thread meanwhile.
 * @param kernel   The link-time side, or NULL.
 * @param opts     May be NULL.
 * @param out      Written in full on KREL_OK, untouched otherwise.
 * @return KREL_OK whatever was found ("unsolved" is an answer too);
 *         KREL_INVALID (image and kernel are of different arches);
 *         KREL_INTERRUPTED; KREL_NOMEM.
 */
enum krel_status krel_solve(struct krel_image *img,
			    const struct krel_kernel *kernel,
			    const struct krel_options *opts,
			    struct krel_result *out, struct krel_error *err);

/**
 * Identify the kernel in an image without any vmlinux. Same contract as
 * krel_solve(); fills arch, format, cpus, has_vmcoreinfo and image.
 */
enum krel_status krel_identify(struct krel_image *img,
			       const struct krel_options *opts,
			       struct krel_result *out,
			       struct krel_error *err);

/* ------------------------------------------- symbols without a vmlinux */

/** The symbols that a kernel in the image has of itself: its kallsyms. */
struct krel_symbols;

struct krel_symbol {
	uint64_t address;	/* run-time; per-CPU ones may be near zero */
	char type;		/* as nm prints it */
	const char *name;	/* valid during the visit */
};

/** Called for each symbol in order of address; false ends the walk. */
typedef bool krel_symbols_visit(void *arg, const struct krel_symbol *sym);

/**
 * Find kallsyms in the image; needs no vmlinux. Reads all memory once.
 *
 * @param opts  May be NULL.
 * @param out   Set on success; free with krel_symbols_free().
 * @return KREL_OK; KREL_ABSENT (none); KREL_CORRUPT or KREL_UNREADABLE (a
 *         part is missing or broken); KREL_UNSUPPORTED (its form);
 *         KREL_CONTRADICTS (several kernels'); KREL_INTERRUPTED; KREL_NOMEM.
 */
enum krel_status krel_symbols_find(struct krel_image *img,
				   const struct krel_options *opts,
				   struct krel_symbols **out,
				   struct krel_error *err);

/** Free them; NULL is accepted. */
void krel_symbols_free(struct krel_symbols *s);

enum krel_arch krel_symbols_arch(const struct krel_symbols *s);
size_t krel_symbols_count(const struct krel_symbols *s);

/** True when memory bears out that the kernel runs where its tables lie. */
bool krel_symbols_placed(const struct krel_symbols *s);

void krel_symbols_each(const struct krel_symbols *s,
		       krel_symbols_visit *visit, void *arg);

/** Run-time address of the first symbol so named. KREL_OK or KREL_ABSENT. */
enum krel_status krel_symbols_address(const struct krel_symbols *s,
				      const char *name, uint64_t *address);

/**
 * The symbol at an address or nearest below it.
 *
 * @param name    Its name, cut to @size bytes with the NUL.
 * @param offset  Bytes from the symbol to @address.
 * @return KREL_OK; KREL_ABSENT (below all symbols).
 */
enum krel_status krel_symbols_name(const struct krel_symbols *s,
				   uint64_t address, char *name, size_t size,
				   uint64_t *offset);

/* ------------------------------------------------------------- reports */

/** What krel_report_exit() returns: krel's exit codes. */
enum krel_exit {
	KREL_EXIT_OK = 0,		/* solved and verified */
	KREL_EXIT_UNSOLVED = 1,
	KREL_EXIT_USAGE = 2,
	KREL_EXIT_DUMP = 3,		/* cannot read the dump */
	KREL_EXIT_MISMATCH = 4,		/* vmlinux does not match */
	KREL_EXIT_AMBIGUOUS = 5,
	KREL_EXIT_UNVERIFIED = 6,
};

/** The exit code that an answer deserves. */
enum krel_exit krel_report_exit(const struct krel_result *r);

/** Write the report for a person. @name is the dump's name for the user. */
void krel_report_text(const struct krel_result *r, const char *name,
		      FILE *out);

/** Write one line for each anchor with its arithmetic. */
void krel_report_anchors(const struct krel_result *r, FILE *out);

/** Words of the report: "verified", "unverified" or "unknown". */
const char *krel_report_status(const struct krel_s64 *v, bool verified);

/** "none", "single", "agreed" or "conflict". */
const char *krel_outcome_name(enum krel_outcome outcome);

/** "build-id", "banner", "content" or "none". */
const char *krel_match_name(enum krel_match match);

/** "found", "absent", "filtered", "unreadable", "corrupt", "contradicts". */
const char *krel_status_name(enum krel_status st);

/**
 * A signed offset as text, e.g. "-0x28200000" or "0x0"; @plus adds a "+"
 * to those that are not negative. @buf holds 24 bytes; returned.
 */
char *krel_offset_text(int64_t v, bool plus, char buf[static 24]);

/** A build-id as lower-case hex; @buf holds 2 * len + 1 bytes; returned. */
char *krel_build_id_text(const struct krel_build_id *id,
			 char buf[static 2 * KREL_BUILD_ID_MAX + 1]);

#endif
