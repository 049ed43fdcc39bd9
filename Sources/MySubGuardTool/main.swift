import MySubGuardCommands

MySubGuardProgram.start()
