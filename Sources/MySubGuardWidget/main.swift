import MySubGuardCommands

WidgetProgram.start()
