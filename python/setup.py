"""The wheel: what `make python` has built, with the extension's tag (abi3)."""
import os
import shutil
import stat

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

BUILT = os.environ["KITH_PACKAGE"]  # build/release/python/kith


class Take(build_ext):
    """CMake has compiled the extension with libkith inside: take it, and the
    command beside it, which kith.report runs."""

    def build_extension(self, ext):
        target = self.get_ext_fullpath(ext.name)
        folder = os.path.dirname(target)
        os.makedirs(folder, exist_ok=True)
        shutil.copyfile(os.path.join(BUILT, "_core.abi3.so"), target)
        command = os.path.join(folder, "kith-command")
        shutil.copyfile(os.environ["KITH_COMMAND"], command)
        os.chmod(command, os.stat(command).st_mode | stat.S_IXUSR
                 | stat.S_IXGRP | stat.S_IXOTH)


setup(version=os.environ["KITH_VERSION"],
      ext_modules=[Extension("kith._core", sources=[], py_limited_api=True)],
      cmdclass={"build_ext": Take},
      options={"bdist_wheel": {"py_limited_api": "cp311"}})
