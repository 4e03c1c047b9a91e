# SPDX-License-Identifier: Apache-2.0
"""What the kernels of the speed benchmark compute, in plain Python; and the random inputs."""
import cmath, random, struct


def floats(n, seed):
    """n floats in -1..1 that a float holds exactly."""
    r = random.Random(seed)
    return list(struct.unpack(f"<{n}f", struct.pack(f"<{n}f", *(r.uniform(-1, 1) for _ in range(n)))))


def sparse(rows, columns):
    """Row starts and column numbers of a matrix with about 1 % of its elements there."""
    r = random.Random(7)
    column, start = [], [0]
    for _ in range(rows):
        column += sorted(r.sample(range(columns), max(1, int(r.gauss(20, 5)))))
        start.append(len(column))
    return start, column


def matmul(a, b, m, n, k):
    transposed = [b[x::n] for x in range(n)]
    return [sum(map(lambda p, q: p * q, a[y * k:(y + 1) * k], column)) for y in range(m) for column in transposed]


def fir(x, taps):
    return [sum(taps[t] * x[i - t] for t in range(min(len(taps), i + 1))) for i in range(len(x))]


def stencil2d(p, w, h):
    """The inner points; the border stays zero."""
    out = [0.0] * (w * h)
    for y in range(1, h - 1):
        for i in range(y * w + 1, y * w + w - 1):
            out[i] = 0.5 * p[i] + 0.1 * (p[i - 1] + p[i + 1] + p[i - w] + p[i + w]) + 0.025 * (p[i - w - 1] + p[i - w + 1] + p[i + w - 1] + p[i + w + 1])
    return out


def kmeans(feature, centre, points, features):
    clusters = len(centre) // features
    def distance(i, c): return sum((feature[f * points + i] - centre[c * features + f]) ** 2 for f in range(features))
    return [min(range(clusters), key=lambda c: distance(i, c)) for i in range(points)]


def fft(x):
    if len(x) == 1:
        return x
    even, odd = fft(x[::2]), fft(x[1::2])
    turned = [cmath.exp(-2j * cmath.pi * k / len(x)) * o for k, o in enumerate(odd)]
    return [e + o for e, o in zip(even, turned)] + [e - o for e, o in zip(even, turned)]


def gf_times(a, b):
    p = 0
    while b:
        if b & 1:
            p ^= a
        a = a << 1 ^ (0x11b if a & 0x80 else 0)
        b >>= 1
    return p


def aes_sbox():
    """FIPS 197, 5.1.1: the inverse in GF(2^8), then an affine map."""
    box = []
    for x in range(256):
        inverse = next((y for y in range(256) if gf_times(x, y) == 1), 0)
        s = 0x63
        for r in range(5):
            s ^= (inverse << r | inverse >> (8 - r)) & 255
        box.append(s)
    return box


def aes_keys(key, box):
    """FIPS 197, 5.2: 60 words of four bytes of the 32-byte key."""
    w = [list(key[4 * i:4 * i + 4]) for i in range(8)]
    factor = 1
    for i in range(8, 60):
        t = w[i - 1]
        if i % 8 == 0:
            t = [box[v] for v in t[1:] + t[:1]]
            t[0] ^= factor
            factor = gf_times(factor, 2)
        elif i % 8 == 4:
            t = [box[v] for v in t]
        w.append([p ^ q for p, q in zip(w[i - 8], t)])
    return w


def aes_block(block, keys, box, double, triple):
    """One block of 16 bytes by FIPS 197, 5.1; double, triple: GF(2^8) multiples of each byte."""
    s = [v ^ k for v, k in zip(block, sum(keys[:4], []))]
    for n in range(1, 15):
        s = [box[s[(4 * (i // 4) + 5 * (i % 4)) % 16]] for i in range(16)]
        if n < 14:
            mixed = []
            for c in range(0, 16, 4):
                a, b, d, e = s[c:c + 4]
                mixed += [double[a] ^ triple[b] ^ d ^ e, a ^ double[b] ^ triple[d] ^ e, a ^ b ^ double[d] ^ triple[e], triple[a] ^ b ^ d ^ double[e]]
            s = mixed
        s = [v ^ k for v, k in zip(s, sum(keys[4 * n:4 * n + 4], []))]
    return bytes(s)


def aes(data, key):
    box = aes_sbox()
    keys = aes_keys(key, box)
    double, triple = [gf_times(v, 2) for v in range(256)], [gf_times(v, 3) for v in range(256)]
    return b"".join(aes_block(data[i:i + 16], keys, box, double, triple) for i in range(0, len(data), 16))


assert aes(bytes.fromhex("00112233445566778899aabbccddeeff"), bytes(range(32))).hex() == "8ea2b7ca516745bfeafc49904b496089"  # FIPS 197, C.3
