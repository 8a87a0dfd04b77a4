// wine-prng.c - bcryptprimitives.dll for Wine 8, which lacks it. Go gets its random numbers there.
#include <windows.h>
#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE to, SIZE_T n) { return RtlGenRandom(to, (ULONG)n); }
