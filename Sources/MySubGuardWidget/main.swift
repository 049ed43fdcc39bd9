import MySubGuardCommands

await WidgetProgram.start()
