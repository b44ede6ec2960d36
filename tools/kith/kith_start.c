/* The kith program: the command, alone. */
#include "commands.h"

int main(int argc, char **argv)
{
    return command_main(argc, argv);
}
