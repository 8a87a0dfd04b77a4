; installer.nsi - the installer for Windows, for one user and without the rights of an administrator. /S installs silently, /D=FOLDER as
; the last argument and without quotes chooses the folder. The uninstaller deletes what the installer wrote, and leaves the data.
; Needs VERSION, NUMBERS (four of them), FILES (the folder with the files), SIZE (in KB), ICON and OUT.
Unicode true
Target amd64-unicode
SetCompressor /SOLID lzma
!include MUI2.nsh
!include LogicLib.nsh
!include WinVer.nsh

!define UNINSTALL "Software\Microsoft\Windows\CurrentVersion\Uninstall\Roughcut"
!define OPEN_WITH "Software\Classes\Applications\roughcut-desktop.exe"
!define FAILED 2 ; exit code

Name "Roughcut"
OutFile "${OUT}"
RequestExecutionLevel user
InstallDir "$LOCALAPPDATA\Programs\Roughcut"
InstallDirRegKey HKCU "${UNINSTALL}" "InstallLocation"
BrandingText "Roughcut ${VERSION}"
ManifestDPIAware true
ManifestSupportedOS all
VIProductVersion ${NUMBERS}
VIFileVersion ${NUMBERS}
VIAddVersionKey ProductName "Roughcut"
VIAddVersionKey ProductVersion "${VERSION}"
VIAddVersionKey FileVersion "${VERSION}"
VIAddVersionKey FileDescription "Roughcut installer"
VIAddVersionKey CompanyName "Roughcut contributors"
VIAddVersionKey LegalCopyright "GPL-3.0-or-later"

!define MUI_ICON "${ICON}"
!define MUI_UNICON "${ICON}"
!define MUI_FINISHPAGE_RUN "$INSTDIR\roughcut-desktop.exe"
!define MUI_UNCONFIRMPAGE_TEXT_TOP "Roughcut will be removed. Your projects in $LOCALAPPDATA\roughcut stay."
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE English

; Idle NAME asks until NAME does not run, because Windows does not replace a running program.
!macro Idle NAME
  ${Do}
    ClearErrors
    ${If} ${FileExists} "$INSTDIR\${NAME}"
      FileOpen $0 "$INSTDIR\${NAME}" a
      ${IfNot} ${Errors}
        FileClose $0
      ${EndIf}
    ${EndIf}
    ${IfNot} ${Errors}
      ${ExitDo}
    ${EndIf}
    ${If} ${Cmd} `MessageBox MB_RETRYCANCEL|MB_ICONEXCLAMATION "Roughcut is running. Close it, then choose Retry." /SD IDCANCEL IDCANCEL`
      SetErrorLevel ${FAILED}
      Quit
    ${EndIf}
  ${Loop}
!macroend

Function .onInit
  ${IfNot} ${AtLeastWin10}
    MessageBox MB_OK|MB_ICONSTOP "Roughcut needs Windows 10 or later." /SD IDOK
    SetErrorLevel ${FAILED}
    Quit
  ${EndIf}
FunctionEnd

Section
  !insertmacro Idle roughcut.exe
  !insertmacro Idle roughcut-desktop.exe
  SetOutPath $INSTDIR
  ClearErrors
  File "${FILES}\roughcut.exe"
  File "${FILES}\roughcut-desktop.exe"
  File "${FILES}\README.md"
  File "${FILES}\CHANGELOG.md"
  File "${FILES}\LICENSE"
  File "${FILES}\THIRD-PARTY-LICENSES.txt"
  WriteUninstaller uninstall.exe
  CreateShortcut "$SMPROGRAMS\Roughcut.lnk" "$INSTDIR\roughcut-desktop.exe"
  ${If} ${Errors}
    SetErrorLevel ${FAILED}
    Abort "The files cannot be written to $INSTDIR."
  ${EndIf}
  WriteRegStr HKCU "${UNINSTALL}" DisplayName "Roughcut"
  WriteRegStr HKCU "${UNINSTALL}" DisplayVersion "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL}" DisplayIcon "$INSTDIR\roughcut-desktop.exe"
  WriteRegStr HKCU "${UNINSTALL}" Publisher "Roughcut contributors"
  WriteRegStr HKCU "${UNINSTALL}" InstallLocation "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL}" UninstallString '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${UNINSTALL}" QuietUninstallString '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD HKCU "${UNINSTALL}" EstimatedSize ${SIZE}
  WriteRegDWORD HKCU "${UNINSTALL}" NoModify 1
  WriteRegDWORD HKCU "${UNINSTALL}" NoRepair 1
  ; Explorer offers Roughcut under "Open with" for recordings.
  WriteRegStr HKCU "${OPEN_WITH}" FriendlyAppName "Roughcut"
  WriteRegStr HKCU "${OPEN_WITH}\shell\open\command" "" '"$INSTDIR\roughcut-desktop.exe" "%1"'
  !macro OpenWith EXTENSION
    WriteRegStr HKCU "${OPEN_WITH}\SupportedTypes" ".${EXTENSION}" ""
  !macroend
  !insertmacro OpenWith mp4
  !insertmacro OpenWith f4v
  !insertmacro OpenWith m4a
  !insertmacro OpenWith m4b
  !insertmacro OpenWith m4v
  !insertmacro OpenWith mov
  !insertmacro OpenWith qt
  !insertmacro OpenWith 3gp
  !insertmacro OpenWith 3gpp
  !insertmacro OpenWith 3g2
  !insertmacro OpenWith 3gp2
  !insertmacro OpenWith mkv
  !insertmacro OpenWith mka
  !insertmacro OpenWith webm
  !insertmacro OpenWith weba
  !insertmacro OpenWith avi
  !insertmacro OpenWith divx
  !insertmacro OpenWith ts
  !insertmacro OpenWith mts
  !insertmacro OpenWith m2ts
  !insertmacro OpenWith m2t
  !insertmacro OpenWith tod
  !insertmacro OpenWith mpg
  !insertmacro OpenWith mpeg
  !insertmacro OpenWith mpe
  !insertmacro OpenWith m2p
  !insertmacro OpenWith vob
  !insertmacro OpenWith mod
  !insertmacro OpenWith flv
  !insertmacro OpenWith mxf
  !insertmacro OpenWith dv
  !insertmacro OpenWith dif
  !insertmacro OpenWith asf
  !insertmacro OpenWith wmv
  !insertmacro OpenWith wma
  !insertmacro OpenWith mp3
  !insertmacro OpenWith mp2
  !insertmacro OpenWith wav
  !insertmacro OpenWith aif
  !insertmacro OpenWith aiff
  !insertmacro OpenWith aifc
  !insertmacro OpenWith caf
  !insertmacro OpenWith flac
  !insertmacro OpenWith ogg
  !insertmacro OpenWith oga
  !insertmacro OpenWith opus
  !insertmacro OpenWith aac
SectionEnd

Section Uninstall
  !insertmacro Idle roughcut.exe
  !insertmacro Idle roughcut-desktop.exe
  Delete "$INSTDIR\roughcut.exe"
  Delete "$INSTDIR\roughcut-desktop.exe"
  Delete "$INSTDIR\README.md"
  Delete "$INSTDIR\CHANGELOG.md"
  Delete "$INSTDIR\LICENSE"
  Delete "$INSTDIR\THIRD-PARTY-LICENSES.txt"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR" ; only if it is empty
  Delete "$SMPROGRAMS\Roughcut.lnk"
  DeleteRegKey HKCU "${OPEN_WITH}"
  DeleteRegKey HKCU "${UNINSTALL}"
SectionEnd
