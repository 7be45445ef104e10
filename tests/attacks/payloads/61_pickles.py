"""A pickle that runs a program in whoever loads it: a later script does so in its own sandbox, the host never."""

import os
import pickle


class Evil:
    def __reduce__(self):
        return os.system, ("touch /workspace/out/loaded",)


for name in ("model.pkl", "model.joblib", "table.npy", "table.feather"):
    with open(name, "wb") as file:
        pickle.dump(Evil(), file)
