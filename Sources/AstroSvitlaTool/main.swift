import AstroSvitlaCommands

AstroSvitlaProgram.start()
