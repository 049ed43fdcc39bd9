import MySubGuardCommands

await MySubGuardProgram.start()
