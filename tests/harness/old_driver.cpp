// A fake of NVIDIA's driver, as old as CUDA 11.4.
extern "C" {

int cuDriverGetVersion(int* version) {
    *version = 11040;
    return 0;
}

int cuInit(unsigned) { return 0; }

}  // extern "C"
