#include "alu/execute.h"
